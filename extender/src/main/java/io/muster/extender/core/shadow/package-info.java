/** What would have been different with Muster in namespaces that only look on, as figures. */
package io.muster.extender.core.shadow;
