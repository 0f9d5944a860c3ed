/** Reads traces of clusters, each in its own columns, for {@code muster simulate}. */
package io.muster.simulator.trace;
