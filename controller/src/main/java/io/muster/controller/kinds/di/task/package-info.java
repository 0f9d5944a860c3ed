/** A DIJob of the second generation: tasks with replicas. */
package io.muster.controller.kinds.di.task;
