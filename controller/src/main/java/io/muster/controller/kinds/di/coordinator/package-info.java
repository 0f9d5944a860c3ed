/** A DIJob of the first generation: a coordinator that asks for collectors and learners. */
package io.muster.controller.kinds.di.coordinator;
