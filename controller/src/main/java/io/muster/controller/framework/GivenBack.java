package io.muster.controller.framework;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.engine.Action;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.pod.PodEnds;
import io.muster.extender.core.gang.GangKeys;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Tells the gangs of a job with how few members it goes on, before it gives any back: otherwise
 * room would be kept for them, as for lost ones. It is said on one of those that stay, and again on
 * another when that one goes.
 */
public final class GivenBack {

  private final JobWrites writes;

  public GivenBack(JobWrites writes) {
    this.writes = writes;
  }

  /**
   * What is to be done before anything else.
   *
   * @param pods of the job
   * @param enough members that each of its gangs needs by now
   * @param actions of which some delete pods
   */
  public List<PendingSteps.Step> steps(
      List<Pod> pods, Map<String, Integer> enough, List<Action> actions) {
    var going = new HashSet<String>();
    for (var action : actions) {
      if (action instanceof Action.Delete(String _, String uid)) {
        going.add(uid);
      }
    }
    var staying = new TreeMap<String, List<Pod>>();
    for (var pod : pods) {
      if (!pod.isMarkedForDeletion()
          && !PodEnds.hasEnded(pod)
          && !going.contains(pod.getMetadata().getUid())) {
        Optional.ofNullable(Marks.annotations(pod).get(GangKeys.NAME))
            .filter(enough::containsKey)
            .ifPresent(gang -> staying.computeIfAbsent(gang, _ -> new ArrayList<>()).add(pod));
      }
    }
    var steps = new ArrayList<PendingSteps.Step>();
    staying.forEach((gang, members) -> steps.addAll(steps(members, enough.get(gang))));
    return steps;
  }

  private List<PendingSteps.Step> steps(List<Pod> members, int enough) {
    int atStart = members.stream().mapToInt(GivenBack::minimum).max().orElse(0);
    var said =
        enough > 0 && enough < atStart
            ? Optional.of(Integer.toString(enough))
            : Optional.<String>empty();
    var tellers =
        new ArrayList<>(
            members.stream()
                .filter(pod -> Marks.labels(pod).containsKey(GangKeys.ENOUGH))
                .toList());
    if (tellers.isEmpty() && said.isPresent()) {
      tellers.add(members.getFirst());
    }
    return tellers.stream()
        .filter(pod -> !Optional.ofNullable(Marks.labels(pod).get(GangKeys.ENOUGH)).equals(said))
        .map(pod ->
            PendingSteps.Step.of(() -> writes.label(pod.getMetadata(), GangKeys.ENOUGH, said)))
        .toList();
  }

  private static int minimum(Pod pod) {
    var said = Marks.annotations(pod).getOrDefault(GangKeys.MIN, "");
    return said.matches("[0-9]{1,4}") ? Integer.parseInt(said) : 0;
  }
}
