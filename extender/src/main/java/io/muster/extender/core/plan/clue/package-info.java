/** What nodes themselves tell about a request that has no place, in words. */
package io.muster.extender.core.plan.clue;
