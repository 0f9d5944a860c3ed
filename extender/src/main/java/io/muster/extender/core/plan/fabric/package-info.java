/** Domains of a network within one another, and how consecutive members are divided among them. */
package io.muster.extender.core.plan.fabric;
