/** Reserve: nodes for a whole gang or nobody, and for members that come later. */
package io.muster.extender.core.decision.reserve;
