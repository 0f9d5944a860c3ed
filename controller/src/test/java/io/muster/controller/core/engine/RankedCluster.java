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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** A job of a master and workers with ranks, all of which run as soon as they are made. */
final class RankedCluster extends VirtualCluster {

  int replicas = 4;
  int least = 1;
  int relaunches = 3;
  int masterRestarts;
  Pause pause = Pause.NONE;

  /** No pod starts. */
  boolean isFull;

  @Override
  Job job() {
    return new Job(
        new JobKey("ml", "j", "u"),
        generation,
        List.of(
            new Role(
                "master",
                "j-master",
                new Naming.Numbered(),
                Role.Range.fixed(1),
                Recovery.of(Replacement.UNLESS_FATAL).ofOne(masterRestarts),
                End.WITH_ITS_ONE),
            new Role(
                "worker",
                "j-worker",
                new Naming.Numbered(),
                new Role.Range(replicas, Math.min(least, replicas), Integer.MAX_VALUE),
                Set.of(),
                Recovery.of(Replacement.UNLESS_OUT_OF_MEMORY).ofOne(relaunches).keepingRanks(),
                End.WITH_ALL,
                pause)),
        new RunPolicy(
            false,
            false,
            0,
            CleanUp.ALL_UNFINISHED,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty()),
        List.of());
  }

  /** Rank and losses of the workers that run, by name. */
  Map<String, String> running() {
    var running = new TreeMap<String, String>();
    for (var pod : pods.values()) {
      if (pod.made.role().equals("worker") && pod.phase == Phase.RUNNING && !pod.deleting) {
        running.put(pod.made.name(), pod.made.rank() + "/" + pod.made.losses());
      }
    }
    return running;
  }

  @Override
  int room() {
    return isFull ? 0 : Integer.MAX_VALUE;
  }
}
