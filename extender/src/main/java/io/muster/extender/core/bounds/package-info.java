/** How far numbers of others go. */
package io.muster.extender.core.bounds;
