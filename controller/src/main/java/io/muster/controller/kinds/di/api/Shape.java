package io.muster.controller.kinds.di.api;

/** What a DIJob says of its pods; each job has exactly one of these fields, for good. */
public enum Shape {
  /** A coordinator asks for collectors and learners while it runs. Written as v1alpha1. */
  COORDINATOR,
  /** Copies of one template. Written as v2alpha1. */
  TEMPLATE,
  /** Tasks, each with its template and count. Written as v2alpha1. */
  TASKS
}
