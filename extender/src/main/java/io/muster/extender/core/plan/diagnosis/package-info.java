/** Why a request has no place, and what would help it. */
package io.muster.extender.core.plan.diagnosis;
