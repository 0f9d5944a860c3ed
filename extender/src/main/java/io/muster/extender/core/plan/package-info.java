/** The one decision: where a whole gang goes, or why it cannot go now. */
package io.muster.extender.core.plan;
