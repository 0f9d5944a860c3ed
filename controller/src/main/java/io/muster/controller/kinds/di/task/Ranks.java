package io.muster.controller.kinds.di.task;

import io.muster.controller.core.state.JobState;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.Task;
import io.muster.controller.kinds.di.job.DiNames;
import java.util.SortedMap;
import java.util.TreeMap;

/** Which pod of a job with tasks, or with copies of one template, has which rank. */
public final class Ranks {

  private Ranks() {}

  /**
   * Names of pods by rank, up to the highest that somebody has; one that nobody has now is still
   * counted.
   */
  public static SortedMap<Integer, String> of(DIJob job, JobState state) {
    var all = new TreeMap<Integer, String>();
    int highest = -1;
    for (Task task : TaskSpecMapper.tasks(job)) {
      var name = task.knownName();
      var standing = state.standings().get(name);
      if (standing == null) {
        continue;
      }
      var there = state.targets(name);
      for (var place : standing.ranks().entrySet()) {
        all.put(place.getValue(), DiNames.pods(job, name) + "-" + place.getKey());
        if (there.contains(place.getKey())) {
          highest = Math.max(highest, place.getValue());
        }
      }
    }
    return all.headMap(highest, true);
  }
}
