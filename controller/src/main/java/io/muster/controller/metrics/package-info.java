/** Meters of the controller. */
package io.muster.controller.metrics;
