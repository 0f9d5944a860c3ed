package io.muster.controller.api;

/**
 * Counts of pods of one role. A wire type: where there are none, the field is null. Immutable.
 *
 * @param active Pods that run.
 * @param succeeded Pods that have succeeded.
 * @param failed Pods that have failed.
 */
@WireType
public record PodCounts(Integer active, Integer succeeded, Integer failed) {

  public static PodCounts of(long active, long succeeded, long failed) {
    return new PodCounts(orNull(active), orNull(succeeded), orNull(failed));
  }

  private static Integer orNull(long count) {
    return count == 0 ? null : (int) count;
  }
}
