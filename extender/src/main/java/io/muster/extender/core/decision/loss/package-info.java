/** What is done about members that are lost or rejected, and about the places that they leave. */
package io.muster.extender.core.decision.loss;
