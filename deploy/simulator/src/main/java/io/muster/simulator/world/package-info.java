/**
 * A cluster in virtual time that Muster's own decision core schedules. Pure: no clock, no files, no
 * chance but a stated seed.
 */
package io.muster.simulator.world;
