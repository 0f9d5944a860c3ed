/** The Gang object: its schema, and the way between it and the records of the core. */
package io.muster.extender.kube.gang;
