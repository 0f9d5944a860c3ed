/** What may be asked of the core without changing anything, and its answers. */
package io.muster.extender.core.protocol.query;
