/** Queues: who may use how much, and in which order gangs wait. Pure; {@code java.*} only. */
package io.muster.extender.core.queue;
