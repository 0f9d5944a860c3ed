package io.muster.controller.kinds.etoperator.job;

import io.fabric8.kubernetes.api.model.Container;
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
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.api.TrainingJobSpec;
import io.muster.controller.kube.EngineJob;
import io.muster.controller.kube.Marks;
import io.muster.extender.core.cluster.Accelerators;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Reads a TrainingJob in the engine's words. */
public final class TrainingJobSpecMapper {

  private static final int RESTARTS_AT_MOST = 6;

  /** Horovod starts on two hosts at least, unless it is told its network interfaces. */
  private static final int FEWEST_AT_START = 2;

  private static final RunPolicy NOTHING_SAID = RunPolicy.once(CleanUp.UNFINISHED);

  private TrainingJobSpecMapper() {}

  /** The job that is wanted. */
  public static Job job(TrainingJob object, List<String> problems) {
    return EngineJob.of(
        object,
        () -> List.of(workers(object), launcher(object)),
        object.getSpec() == null ? NOTHING_SAID : run(object),
        problems);
  }

  /** Templates of its pods, by field. */
  public static Map<String, PodTemplateSpec> templates(TrainingJob object) {
    var templates = new TreeMap<String, PodTemplateSpec>();
    var roles = Optional.ofNullable(object.getSpec()).map(TrainingJobSpec::etReplicaSpecs);
    roles
        .map(specs -> specs.launcher())
        .map(launcher -> launcher.template())
        .ifPresent(template -> templates.put("spec.etReplicaSpecs.launcher.template", template));
    roles
        .map(specs -> specs.worker())
        .map(worker -> worker.template())
        .ifPresent(template -> templates.put("spec.etReplicaSpecs.worker.template", template));
    return templates;
  }

  private static Role workers(TrainingJob object) {
    var worker = object.getSpec().etReplicaSpecs().worker();
    int replicas = Objects.requireNonNullElse(worker.replicas(), 1);
    // Objects of earlier days may ask for more than they start with.
    int least = Math.min(Objects.requireNonNullElse(worker.minReplicas(), 1), replicas);
    boolean startsAtMin =
        "true".equals(Marks.annotations(object).getOrDefault(TrainingJob.START_AT_MIN, ""));
    return new Role(
        EtOperatorNames.WORKER,
        EtOperatorNames.workers(object.getMetadata().getName()),
        new Naming.Numbered(),
        new Range(
            startsAtMin ? Math.min(Math.max(least, FEWEST_AT_START), replicas) : replicas,
            replicas,
            least,
            Objects.requireNonNullElse(worker.maxReplicas(), Integer.MAX_VALUE)),
        Recovery.of(
                switch (Objects.requireNonNullElse(worker.restartPolicy(), "")) {
                  case "Always" -> Replacement.ALWAYS;
                  case "OnFailure" -> Replacement.ON_FAILURE;
                  case "ExitCode" -> Replacement.ON_SIGNAL;
                  default -> Replacement.NEVER;
                })
            .withinAnHour(restartBudget(object)),
        End.NEVER);
  }

  /** Of jobs that have begun under an annotation that is none, as if it were not there. */
  private static int restartBudget(TrainingJob object) {
    var said = Marks.annotations(object).getOrDefault(TrainingJob.RESTART_BUDGET, "");
    return said.matches("[0-9]{1,4}")
        ? Math.min(Integer.parseInt(said), TrainingJob.LARGEST_RESTART_BUDGET)
        : TrainingJob.DEFAULT_RESTART_BUDGET;
  }

  private static Role launcher(TrainingJob object) {
    var policy = object.getSpec().etReplicaSpecs().launcher().restartPolicy();
    return new Role(
        EtOperatorNames.LAUNCHER,
        EtOperatorNames.launcher(object.getMetadata().getName()),
        new Naming.Alone(),
        Range.fixed(1),
        Set.of(EtOperatorNames.WORKER),
        // The job ends with a launcher that fails; one that is recreated was deleted by somebody.
        Recovery.of("Never".equals(policy) ? Replacement.NEVER : Replacement.ON_DELETION),
        End.WITH_ITS_ONE,
        Pause.NONE);
  }

  private static RunPolicy run(TrainingJob object) {
    var spec = object.getSpec();
    boolean startsAgain = "OnFailure".equals(spec.restartPolicy());
    return new RunPolicy(
        "true".equals(Marks.annotations(object).getOrDefault(EtOperatorNames.SUSPENDED, "")),
        "true".equals(Marks.annotations(object).getOrDefault(EtOperatorNames.HELD, "")),
        startsAgain ? Objects.requireNonNullElse(spec.backoffLimit(), RESTARTS_AT_MOST) : 0,
        cleanUp(spec),
        seconds(Marks.annotations(object).getOrDefault(EtOperatorNames.MAX_WAIT, "")),
        Optional.ofNullable(spec.activeDeadlineSeconds()).map(Duration::ofSeconds),
        Optional.ofNullable(spec.ttlSecondsAfterFinished()).map(Duration::ofSeconds),
        Optional.empty());
  }

  private static CleanUp cleanUp(TrainingJobSpec spec) {
    return switch (Objects.requireNonNullElse(spec.cleanPodPolicy(), "Running")) {
      case "None" -> CleanUp.NOTHING;
      case "All" -> CleanUp.ALL;
      default -> CleanUp.UNFINISHED;
    };
  }

  /** Another program's annotation: what is no number counts as not there. */
  private static Optional<Duration> seconds(String value) {
    return value.matches("[1-9][0-9]{0,8}")
        ? Optional.of(Duration.ofSeconds(Long.parseLong(value)))
        : Optional.empty();
  }

  public static boolean usesSsh(TrainingJob object) {
    return !"kubexec".equals(object.getSpec().launcherAttachMode());
  }

  /** Processes that one worker takes. */
  public static int slots(TrainingJob object) {
    var spec = object.getSpec();
    if (spec.slotsPerWorker() != null) {
      return spec.slotsPerWorker();
    }
    var container = spec.etReplicaSpecs().worker().template().getSpec().getContainers().getFirst();
    return Math.max(1, devices(container));
  }

  private static int devices(Container container) {
    if (container.getResources() == null || container.getResources().getLimits() == null) {
      return 0;
    }
    return container.getResources().getLimits().entrySet().stream()
        .filter(limit -> Accelerators.NAMES.contains(limit.getKey()))
        .mapToInt(limit -> limit.getValue().getNumericalAmount().intValue())
        .sum();
  }
}
