/** The meters of the extender. */
package io.muster.extender.metrics;
