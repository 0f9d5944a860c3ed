/**
 * Where a job stands: what is stored of it, what is seen of its members, and how far its resizes
 * are.
 */
package io.muster.controller.core.state;
