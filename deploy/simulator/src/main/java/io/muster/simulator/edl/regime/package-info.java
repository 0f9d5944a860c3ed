/** Who starts pods, and when: what ran in the published experiment, and Muster. */
package io.muster.simulator.edl.regime;
