package io.muster.controller.kinds.dlrover.job;

import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.Naming;
import io.muster.controller.core.job.Recovery;
import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.job.Role.End;
import io.muster.controller.core.job.Role.Pause;
import io.muster.controller.core.job.Role.Range;
import io.muster.controller.core.job.RunPolicy;
import io.muster.controller.core.job.RunPolicy.CleanUp;
import io.muster.controller.core.state.JobState;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ReplicaSpec;
import io.muster.controller.kube.EngineJob;
import io.muster.controller.kube.Marks;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.gang.dialect.DialectKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Reads an ElasticJob in the engine's words. */
public final class ElasticJobSpecMapper {

  private static final int RELAUNCHES = 3;
  private static final int MOST_RELAUNCHES = 5;
  private static final String ALL_REDUCE = "AllreduceStrategy";
  private static final DialectDetector GANGS = new DialectDetector();

  private ElasticJobSpecMapper() {}

  /** The job that is wanted. */
  public static Job job(ElasticJob object, JobState state, Mode mode, List<String> problems) {
    return EngineJob.of(object, () -> roles(object, state, mode), run(mode), problems);
  }

  /** Templates of the pods that Muster makes, by field. */
  public static Map<String, PodTemplateSpec> templates(ElasticJob object, JobState state) {
    var templates = new TreeMap<String, PodTemplateSpec>();
    for (var name : state.targets().keySet()) {
      role(object, name)
          .map(role -> role.template())
          .ifPresent(
              template -> templates.put("spec.replicaSpecs.%s.template".formatted(name), template));
    }
    return templates;
  }

  private static List<Role> roles(ElasticJob object, JobState state, Mode mode) {
    return switch (mode) {
      case UPSTREAM_MASTER -> List.of(master(object));
      case BUILTIN -> List.of(master(object), workers(object, state));
    };
  }

  /** DLRover's master clears up behind itself; its own pod stays for its log. */
  private static RunPolicy run(Mode mode) {
    return RunPolicy.once(mode == Mode.BUILTIN ? CleanUp.ALL_UNFINISHED : CleanUp.NOTHING);
  }

  private static Role master(ElasticJob object) {
    return new Role(
        ElasticJob.MASTER,
        DlroverNames.master(object.getMetadata().getName()),
        new Naming.Numbered(),
        Range.fixed(1),
        Recovery.of(Replacement.UNLESS_FATAL).ofOne(masterRestarts(object)),
        End.WITH_ITS_ONE);
  }

  private static Role workers(ElasticJob object, JobState state) {
    int replicas = workerCount(object);
    int now = state.counted(ElasticJob.WORKER).size();
    int relaunches =
        role(object, ElasticJob.WORKER).map(worker -> worker.restartCount()).orElse(RELAUNCHES);
    return new Role(
        ElasticJob.WORKER,
        DlroverNames.workers(object.getMetadata().getName()),
        new Naming.Numbered(),
        new Range(replicas, least(object, Math.max(now, replicas)), Integer.MAX_VALUE),
        Set.of(),
        Recovery.of(Replacement.UNLESS_OUT_OF_MEMORY)
            .ofOne(Math.min(relaunches, MOST_RELAUNCHES))
            .keepingRanks(),
        End.WITH_ALL,
        pause(object));
  }

  private static Pause pause(ElasticJob object) {
    if (!isSuspended(object)) {
      return Pause.NONE;
    }
    return isReleased(object) ? Pause.AWAY : Pause.NO_MORE;
  }

  /** Why Muster cannot make the workers itself; empty if it can. */
  static Optional<String> unsupported(ElasticJob object) {
    var strategy = object.getSpec().distributionStrategy();
    return ALL_REDUCE.equals(strategy)
        ? Optional.empty()
        : Optional.of(
            "spec.distributionStrategy: %s needs DLRover's own master to make the members; set it to %s, or the annotation %s to %s"
                .formatted(
                    Objects.requireNonNullElse(strategy, "ParameterServerStrategy, the default,"),
                    ALL_REDUCE,
                    DlroverNames.MODE,
                    Mode.UPSTREAM_MASTER.word()));
  }

  /** What keeps Muster from making the workers itself. */
  public static List<String> problemsOfBuiltin(ElasticJob object) {
    var problems = new ArrayList<String>();
    unsupported(object).ifPresent(problems::add);
    var containers =
        role(object, ElasticJob.WORKER).orElseThrow().template().getSpec().getContainers();
    if (containers.size() > 1
        && containers.stream().noneMatch(container -> "main".equals(container.getName()))) {
      problems.add(
          "spec.replicaSpecs.worker.template.spec.containers: there are several and none is called"
              + " main; call the one that trains so");
    }
    return problems;
  }

  /** An annotation that names no mode. */
  public static Optional<String> unknownMode(ElasticJob object) {
    var said = Marks.annotations(object).get(DlroverNames.MODE);
    return said == null || Mode.of(said).isPresent()
        ? Optional.empty()
        : Optional.of(
            "metadata.annotations[%s]: must be %s or %s"
                .formatted(DlroverNames.MODE, Mode.UPSTREAM_MASTER.word(), Mode.BUILTIN.word()));
  }

  /** How often the master may be recreated. */
  public static int masterRestarts(ElasticJob object) {
    return role(object, ElasticJob.MASTER).map(master -> master.restartCount()).orElse(0);
  }

  public static int workerCount(ElasticJob object) {
    return role(object, ElasticJob.WORKER).map(worker -> worker.replicas()).orElse(0);
  }

  /**
   * The fewest of a gang, but never more than it has or is to have: what is wished for does not
   * lower it. Where the workers are none, one.
   */
  private static int least(ElasticJob object, int size) {
    return Math.min(gangMinimum(object).orElse(1), size);
  }

  /** With how many members the workers' gang starts; empty where they are none, or do not say. */
  public static Optional<Integer> gangMinimum(ElasticJob object) {
    return membership(object)
        .flatMap(member ->
            member.terms() instanceof Terms.Usable terms
                ? Optional.of(terms.minAvailable())
                : Optional.empty());
  }

  /** The gang that the workers are when the job begins; empty where they are none. */
  public static Optional<GangId> gang(ElasticJob object) {
    return membership(object).map(Membership::gang);
  }

  private static Optional<Membership> membership(ElasticJob object) {
    return role(object, ElasticJob.WORKER)
        .map(worker -> worker.template())
        .flatMap(template ->
            GANGS.recognise(
                new Markings(
                    object.getMetadata().getNamespace(),
                    Marks.labels(template),
                    Marks.annotations(template))));
  }

  /** Whether members of that role are a gang. */
  static boolean isGang(PodTemplateSpec template) {
    return DialectKeys.areIn(new Markings("", Marks.labels(template), Marks.annotations(template)));
  }

  /** Whether members of any role are a gang. */
  public static boolean hasGang(ElasticJob object) {
    return Optional.ofNullable(object.getSpec())
        .map(spec -> spec.replicaSpecs())
        .orElse(Map.of())
        .values()
        .stream()
        .filter(Objects::nonNull)
        .flatMap(role -> Optional.ofNullable(role.template()).stream())
        .anyMatch(ElasticJobSpecMapper::isGang);
  }

  public static Optional<ReplicaSpec> role(ElasticJob object, String name) {
    return Optional.ofNullable(object.getSpec())
        .map(spec -> spec.replicaSpecs())
        .map(roles -> roles.get(name));
  }

  public static boolean isSuspended(ElasticJob object) {
    return object.getSpec() != null && Boolean.TRUE.equals(object.getSpec().suspend());
  }

  /** Whether a suspended job holds nothing. */
  public static boolean isReleased(ElasticJob object) {
    return "release".equals(Marks.annotations(object).get(DlroverNames.SUSPEND_POLICY));
  }
}
