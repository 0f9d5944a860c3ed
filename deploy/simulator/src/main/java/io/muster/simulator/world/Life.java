package io.muster.simulator.world;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.cluster.NodeTerm.Operator;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.gang.dialect.Hints;
import io.muster.simulator.world.cluster.Fabric;
import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.RunningJob;
import io.muster.simulator.world.cluster.SegmentRule;
import io.muster.simulator.world.cluster.TraceJob;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A job and its nodes in the words of the core: what an apiserver would store. Stateless. */
final class Life {

  static final String GPU = "nvidia.com/gpu";

  private static final String MODEL = "model";
  private static final String SCHEDULER = "default-scheduler";
  private static final int POD_LIMIT = 110;
  private static final int NO_INDEX = -1;

  private Life() {}

  static Node node(Machine machine) {
    return new Node(
        machine.name(),
        labels(machine),
        List.of(),
        Node.Availability.READY,
        resources(machine.cpuMillis(), machine.memoryMib(), machine.gpus()),
        POD_LIMIT);
  }

  /** The levels of the network in which they stand, outermost first. */
  static Levels levels() {
    return new Levels(
        Fabric.LEVELS.stream().map(level -> new Levels.Level(level, level, 0)).toList(), false);
  }

  private static Map<String, String> labels(Machine machine) {
    var labels = new TreeMap<String, String>();
    if (!machine.model().isEmpty()) {
      labels.put(MODEL, machine.model());
    }
    for (int i = 0; i < machine.domains().size(); i++) {
      labels.put(Fabric.LEVELS.get(i), machine.domains().get(i));
    }
    return labels;
  }

  /** How close together the members of the job are to be. */
  static Topology topology(TraceJob job, SegmentRule rule) {
    int size = rule.of(job);
    return size == 1
        ? Topology.ANYWHERE
        : Topology.ANYWHERE.inSegments(new Topology.Segment(Fabric.LEVELS.getLast(), size));
  }

  private static Resources resources(long cpuMillis, long memoryMib, int gpus) {
    return new Resources(
        cpuMillis, memoryMib << 20, gpus == 0 ? Map.of() : Map.of(GPU, (long) gpus));
  }

  static GangId gang(TraceJob job) {
    return new GangId(Dialect.MUSTER, job.tenant(), job.id());
  }

  static Demand demand(TraceJob.Part part) {
    var terms =
        part.models().isEmpty()
            ? List.<NodeTerm>of()
            : List.of(
                new NodeTerm(
                    List.of(new Requirement(MODEL, Operator.IN, new TreeSet<>(part.models()))),
                    List.of()));
    return new Demand(
        resources(part.cpuMillis(), part.memoryMib(), part.gpus()), Map.of(), terms, List.of());
  }

  /** The pods with which that life of the job begins, part by part, gated as the webhook does. */
  static List<Pod> pods(TraceJob job, int life, Setup setup, Instant now) {
    var mould = new Mould(job, life, setup, now);
    var pods = new ArrayList<Pod>(job.pods());
    for (var part : job.parts()) {
      var demand = demand(part);
      for (int i = 0; i < part.pods(); i++) {
        pods.add(mould.pod(part, demand, pods.size()));
      }
    }
    return pods;
  }

  static Pod ungated(Pod pod) {
    return pod.at(progress(Pod.Phase.PENDING, Optional.empty(), false, Set.of()));
  }

  /** One more pod of the part that may have more. */
  static Pod another(RunningJob running, Setup setup, Instant now) {
    var job = running.job;
    var part = job.parts().get(job.elastic().orElseThrow().part());
    return new Mould(job, running.lives, setup, now).pod(part, demand(part), running.made);
  }

  /** What the pods of one life of a job have in common. */
  private static final class Mould {

    private final TraceJob job;
    private final int life;
    private final GangId gang;
    private final Terms.Usable terms;
    private final Pod.Wishes wishes;
    private final Pod.Origin origin;

    Mould(TraceJob job, int life, Setup setup, Instant now) {
      this.job = job;
      this.life = life;
      gang = gang(job);
      terms =
          new Terms.Usable(
              job.pods(),
              job.pods(),
              Terms.Mode.STRICT,
              Terms.MatchPolicy.ONCE_SATISFIED,
              Duration.ofMinutes(10),
              new TreeSet<>(Set.of(gang.toString())),
              Collections.emptySortedMap(),
              Terms.OnLoss.REPLACE,
              topology(job, setup.segments()));
      var hints =
          new Hints(
              Optional.of(job.queue()).filter(queue -> !queue.isEmpty()),
              Optional.of(job.duration()).filter(time -> setup.hints() && time.isPositive()),
              Optional.of(setup.costs().checkpoint()).filter(Duration::isPositive),
              Optional.empty());
      wishes = new Pod.Wishes(hints, true, setup.costs().grace());
      origin =
          new Pod.Origin(
              // An apiserver notes whole seconds: who came within one goes by name.
              now.truncatedTo(ChronoUnit.SECONDS),
              SCHEDULER,
              Optional.of(job.id()),
              false,
              Pod.Grouping.NONE,
              true,
              Optional.empty(),
              false,
              new Pod.Pinning(true, true, Optional.empty()),
              job.priority(),
              Map.of());
    }

    Pod pod(TraceJob.Part part, Demand demand, int number) {
      // No id has a slash: job 1 with the role 1 is not job 11 without a role.
      var role = part.role().isEmpty() ? "" : "/" + part.role();
      var name = "%s%s-%d".formatted(job.id(), role, number);
      return new Pod(
          new PodKey(job.tenant(), name, name + "@" + job.tenant() + "#" + life),
          demand,
          progress(Pod.Phase.PENDING, Optional.empty(), false, Set.of(Pod.GATE)),
          origin,
          Optional.of(new Membership(gang, terms, part.role(), NO_INDEX, List.of())),
          Optional.empty(),
          Optional.empty(),
          wishes);
    }
  }

  static Pod ending(Pod pod) {
    return pod.at(progress(Pod.Phase.RUNNING, pod.progress().nodeName(), true, Set.of()));
  }

  private static Pod.Progress progress(
      Pod.Phase phase, Optional<String> node, boolean deleting, Set<String> gates) {
    return new Pod.Progress(phase, node, Optional.empty(), deleting, gates);
  }
}
