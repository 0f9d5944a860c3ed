package io.muster.controller.core.engine;

import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.JobKey;
import io.muster.controller.core.job.Naming;
import io.muster.controller.core.job.Recovery;
import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.job.Role.End;
import io.muster.controller.core.job.Role.Pause;
import io.muster.controller.core.job.RunPolicy;
import io.muster.controller.core.job.RunPolicy.CleanUp;
import io.muster.controller.core.state.Member.Phase;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** A job of tasks whose members keep their names, with as much room as is said. */
final class SlotCluster extends VirtualCluster {

  final Map<String, Integer> tasks = new LinkedHashMap<>(Map.of("learner", 1));
  final Map<String, Integer> least = new LinkedHashMap<>();
  final Map<String, Set<Integer>> without = new LinkedHashMap<>();
  final Set<String> optional = new HashSet<>();
  Optional<Integer> mendings = Optional.of(3);
  boolean keepsNames = true;
  boolean goesTogether;
  int most = Integer.MAX_VALUE;
  int failures = Integer.MAX_VALUE;

  /** Who has done well shows that all is done. */
  boolean endsWithOne;

  SlotCluster() {
    tasks.put("evaluator", 1);
    tasks.put("collector", 2);
  }

  @Override
  int room() {
    return most - (int) pods.values().stream().filter(pod -> pod.phase == Phase.RUNNING).count();
  }

  @Override
  Job job() {
    var roles = new ArrayList<Role>();
    tasks.forEach((name, size) ->
        roles.add(
            new Role(
                name,
                "j-" + name,
                new Naming.Numbered(),
                Role.Range.followed(size, least.getOrDefault(name, size))
                    .without(without.getOrDefault(name, Set.of())),
                Set.of(),
                recovery(),
                end(name),
                Pause.NONE)));
    return new Job(
        new JobKey("ml", "j", "u"),
        generation,
        roles,
        new RunPolicy(
            false,
            false,
            0,
            CleanUp.ALL_UNFINISHED,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            mendings),
        List.of());
  }

  private End end(String task) {
    if (optional.contains(task)) {
      return End.NEVER;
    }
    return endsWithOne ? End.ONCE_ONE_DID_WELL : End.WHEN_EACH_DID_WELL;
  }

  private Recovery recovery() {
    var lost = Recovery.of(Replacement.LOST).inAll(failures);
    if (keepsNames) {
      return lost.keepingNames();
    }
    return goesTogether ? lost.paced().together() : lost.paced();
  }

  /** Ranks of the members that run, by name without the job's. */
  Map<String, Integer> ranks() {
    var ranks = new TreeMap<String, Integer>();
    pods.values().stream()
        .filter(pod -> pod.phase == Phase.RUNNING && !pod.deleting)
        .forEach(pod -> ranks.put(pod.made.name().substring(2), pod.made.rank()));
    return ranks;
  }
}
