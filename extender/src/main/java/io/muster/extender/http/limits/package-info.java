/**
 * What one caller of a port may take from the others: bytes, time, and turns. Who floods a port
 * pays for it first.
 */
package io.muster.extender.http.limits;
