/**
 * DI-orchestrator's jobs on the engine: what a DIJob of each generation means, its pods, and what
 * its users see.
 */
package io.muster.controller.kinds.di;
