/** When and where a gang could start, asked without changing anything. */
package io.muster.extender.core.decision.forecast;
