/** What the members of a gang and the objects beside them state about it: minimum, roles, times. */
package io.muster.extender.core.decision.terms;
