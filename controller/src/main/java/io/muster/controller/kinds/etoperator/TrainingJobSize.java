package io.muster.controller.kinds.etoperator;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.api.ResizeCost;
import io.muster.controller.core.elastic.ResizableJob;
import io.muster.controller.core.elastic.ResizableJob.Sharing;
import io.muster.controller.core.elastic.ResizableJob.Step;
import io.muster.controller.core.elastic.ResizableJob.Stride;
import io.muster.controller.core.elastic.ResizableJob.Terms;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Resize;
import io.muster.controller.framework.JobWatch;
import io.muster.controller.kinds.etoperator.api.ScaleIn;
import io.muster.controller.kinds.etoperator.api.ScaleOut;
import io.muster.controller.kinds.etoperator.api.Scaler;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.job.EtOperatorNames;
import io.muster.controller.kinds.etoperator.job.TrainingJobSpecMapper;
import io.muster.controller.kinds.etoperator.scaler.ScalerMapper;
import io.muster.controller.kube.EngineJob;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.pod.WorkerPods;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * How large a running TrainingJob is, how large it may be, and who changes that now, as the watches
 * show it. Immutable.
 *
 * @param pods of its workers, by name
 */
record TrainingJobSize(TrainingJob job, JobState state, Map<String, Pod> pods, List<Asked> asked) {

  private static final String AUTO = "Auto";
  private static final int INTERVAL_SECONDS = 60;

  /** A scaler and what it asks for. */
  record Asked(Scaler<?, ?> scaler, Resize resize) {}

  static TrainingJobSize of(TrainingJob job, JobWatch<TrainingJob> watch) {
    var uid = job.getMetadata().getUid();
    var asked = new ArrayList<Asked>();
    for (var type : List.of(ScaleIn.class, ScaleOut.class)) {
      for (Scaler<?, ?> scaler : watch.others(job, type)) {
        asked.add(new Asked(scaler, ScalerMapper.resize(scaler)));
      }
    }
    return new TrainingJobSize(
        job,
        TrainingJobStatusMapper.state(job),
        watch.pods(job).stream()
            .filter(pod ->
                TrainingJobMembers.of(pod, uid)
                    .filter(member -> member.role().equals(EtOperatorNames.WORKER))
                    .isPresent())
            .collect(Collectors.toMap(pod -> pod.getMetadata().getName(), Function.identity())),
        asked);
  }

  boolean isAuto() {
    return job.getSpec() != null
        && AUTO.equals(job.getSpec().scalePolicy())
        && state.targets().containsKey(EtOperatorNames.WORKER);
  }

  ResizableJob elastic() {
    var range = TrainingJobSpecMapper.job(job, List.of()).role(EtOperatorNames.WORKER).range();
    var up = up();
    return new ResizableJob(
        EngineJob.key(job).toString(),
        WorkerPods.priority(up),
        WorkerPods.of(up),
        range.least(),
        range.most(),
        Stride.ONE,
        interval(),
        auto().stream()
            .max(Comparator.comparingInt(this::number))
            .map(last -> Step.of(last.resize())),
        state.phase() == JobState.Phase.RUNNING && unfinished().isEmpty(),
        up.size() == wanted(),
        WorkerPods.coming(unfinished(), wanted(), pods.keySet()),
        new Terms(Sharing.WITH_EQUALS, ResizeCost.of(Marks.annotations(job)), List.of()));
  }

  private Duration interval() {
    int seconds =
        Objects.requireNonNullElse(job.getSpec().autoScaleIntervalSeconds(), INTERVAL_SECONDS);
    return Duration.ofSeconds(seconds < 1 ? INTERVAL_SECONDS : seconds);
  }

  /** Workers that it is to have. */
  int wanted() {
    return targets().size();
  }

  private List<String> targets() {
    return state.targets(EtOperatorNames.WORKER).stream()
        .map(index -> EtOperatorNames.workers(job.getMetadata().getName()) + "-" + index)
        .toList();
  }

  private List<Pod> up() {
    var uid = job.getMetadata().getUid();
    return targets().stream()
        .flatMap(name -> Optional.ofNullable(pods.get(name)).stream())
        .filter(pod -> TrainingJobMembers.of(pod, uid).filter(Member::isUp).isPresent())
        .toList();
  }

  List<String> leaving() {
    return WorkerPods.leaving(pods.values(), unfinished());
  }

  private List<Resize> unfinished() {
    return asked.stream().map(Asked::resize).filter(resize -> !resize.stage().isEnd()).toList();
  }

  /** Gangs of workers by which it grows by itself. */
  Set<String> growingGangs() {
    return auto().stream()
        .map(Asked::scaler)
        .map(scaler -> scaler.getMetadata().getNamespace() + "/" + scaler.getMetadata().getName())
        .collect(Collectors.toSet());
  }

  /** Scalers that were made for it here. */
  private List<Asked> auto() {
    return asked.stream().filter(each -> number(each) > 0).toList();
  }

  private String autoName() {
    return job.getMetadata().getName() + "-auto-";
  }

  private int number(Asked each) {
    var name = each.scaler().getMetadata().getName();
    var number = name.startsWith(autoName()) ? name.substring(autoName().length()) : "";
    return number.matches("[1-9][0-9]{0,5}") ? Integer.parseInt(number) : 0;
  }

  /** Of the next scaler: asked for twice, it is made once. */
  String nextName() {
    return autoName() + (asked.stream().mapToInt(this::number).max().orElse(0) + 1);
  }

  /** Scalers made here that have ended, but for the last one. */
  List<? extends Scaler<?, ?>> spent() {
    return auto().stream()
        .filter(each -> each.resize().stage().isEnd())
        .sorted(Comparator.comparingInt(this::number).reversed())
        .skip(1)
        .map(Asked::scaler)
        .toList();
  }
}
