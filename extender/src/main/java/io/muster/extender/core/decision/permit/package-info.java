/**
 * Permit and bind: nobody is bound before the record of a whole gang is stored; what was cut off is
 * completed or undone.
 */
package io.muster.extender.core.decision.permit;
