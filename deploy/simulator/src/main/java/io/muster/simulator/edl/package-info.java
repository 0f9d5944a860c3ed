/**
 * The published experiment of EDL in virtual time: its nodes, jobs and online service, under what
 * ran then and under Muster's own planner and policy.
 */
package io.muster.simulator.edl;
