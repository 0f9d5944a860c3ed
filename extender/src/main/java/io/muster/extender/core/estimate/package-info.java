/** When gangs that wait will probably start: the decisions run ahead in memory. */
package io.muster.extender.core.estimate;
