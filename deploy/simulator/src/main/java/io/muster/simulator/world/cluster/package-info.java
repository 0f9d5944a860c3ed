/** Machines and jobs of the simulated cluster, and what a job costs as it runs. */
package io.muster.simulator.world.cluster;
