package io.muster.controller.kinds.etoperator.scaler;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.muster.controller.api.Condition;
import io.muster.controller.api.PodCounts;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.ResizeRequest;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.state.Resize;
import io.muster.controller.core.state.Resize.Stage;
import io.muster.controller.kinds.etoperator.api.ScaleIn;
import io.muster.controller.kinds.etoperator.api.ScaleOut;
import io.muster.controller.kinds.etoperator.api.Scaler;
import io.muster.controller.kinds.etoperator.api.ScalerSpec;
import io.muster.controller.kinds.etoperator.api.ScalerStatus;
import io.muster.controller.kinds.etoperator.api.ScriptVariable;
import io.muster.controller.kinds.etoperator.api.ToDelete;
import io.muster.controller.kinds.etoperator.job.EtOperatorNames;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.OwnResizes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Reads a ScaleIn or ScaleOut as a resize, and writes there how far it has come. */
public final class ScalerMapper {

  static final String IN = "ScaleIn";
  public static final String OUT = "ScaleOut";

  private static final int TIMEOUT_SECONDS = 60;

  private ScalerMapper() {}

  /** The scaler as a resize of its job. */
  public static Resize resize(Scaler<?, ?> scaler) {
    var metadata = scaler.getMetadata();
    ScalerSpec spec = scaler.getSpec();
    var status = Optional.<ScalerStatus>ofNullable(scaler.getStatus());
    var forcedAt = OwnResizes.forcedAt(scaler);
    var request =
        new ResizeRequest(
            ScalerMessages.id(scaler.getKind(), metadata.getNamespace(), metadata.getName()),
            EtOperatorNames.WORKER,
            forcedAt.isPresent() || said(scaler).isEmpty() ? change(scaler) : unreadable(scaler),
            Instant.parse(metadata.getCreationTimestamp()),
            OwnResizes.isUrgent(scaler),
            Duration.ofSeconds(Objects.requireNonNullElse(spec.timeout(), TIMEOUT_SECONDS)),
            forcedAt,
            script(spec));
    var conditions = status.map(ScalerStatus::conditions).orElse(List.of());
    var begun = Conditions.find(conditions, "Scaling").map(Condition::lastTransitionTime);
    var ended =
        Conditions.find(conditions, "ScaleSucceeded")
            .or(() -> Conditions.find(conditions, "ScaleFailed"))
            .map(Condition::lastTransitionTime);
    return new Resize(
        request,
        stage(conditions),
        status.map(ScalerStatus::plan).orElse(List.of()),
        begun.map(Instant::parse),
        ended.map(Instant::parse));
  }

  private static Change change(Scaler<?, ?> scaler) {
    return switch (scaler) {
      case ScaleIn in -> change(in);
      case ScaleOut out -> change(out);
    };
  }

  private static String said(HasMetadata scaler) {
    return Marks.annotations(scaler).getOrDefault(OwnResizes.FORCED_AT, "");
  }

  private static Change unreadable(HasMetadata scaler) {
    return new Change.Unclear(
        "metadata.annotations[%s]: must be a time such as 2030-01-31T12:00:00Z, not \"%s\""
            .formatted(OwnResizes.FORCED_AT, said(scaler)));
  }

  private static Change change(ScaleIn scaler) {
    var wanted = Optional.ofNullable(scaler.getSpec().toDelete()).orElse(new ToDelete(null, null));
    var names = Objects.requireNonNullElse(wanted.podNames(), List.<String>of());
    int count = Objects.requireNonNullElse(wanted.count(), 0);
    if (names.isEmpty() == (count <= 0)) {
      return new Change.Unclear(
          ".spec.toDelete.count or .spec.toDelete.podNames, only one of them should be set");
    }
    if (count > Job.MOST_MEMBERS || names.size() > Job.MOST_MEMBERS) {
      return new Change.Unclear(
          ".spec.toDelete should take away at most %d workers".formatted(Job.MOST_MEMBERS));
    }
    return names.isEmpty() ? new Change.Remove(count) : new Change.RemoveNamed(names);
  }

  private static Change change(ScaleOut scaler) {
    var wanted = scaler.getSpec().toAdd();
    if (wanted == null || wanted.count() == null) {
      return new Change.Unclear(".spec.toAdd.count shouldn't be empty");
    }
    if (wanted.count() > Job.MOST_MEMBERS) {
      return new Change.Unclear(
          ".spec.toAdd.count should be at most %d".formatted(Job.MOST_MEMBERS));
    }
    return wanted.count() > 0
        ? new Change.Add(wanted.count())
        : new Change.Unclear(".spec.toAdd.count should be greater than 0");
  }

  private static Optional<ResizeRequest.Script> script(ScalerSpec spec) {
    if (spec.script() == null || spec.script().isEmpty()) {
      return Optional.empty();
    }
    var variables =
        Objects.requireNonNullElse(spec.env(), List.<ScriptVariable>of()).stream()
            .map(variable ->
                new ResizeRequest.Variable(
                    variable.name(), Objects.requireNonNullElse(variable.value(), "")))
            .toList();
    return Optional.of(
        new ResizeRequest.Script(
            spec.script(), variables, Objects.requireNonNullElse(spec.backoffLimit(), 0)));
  }

  private static Stage stage(List<Condition> conditions) {
    if (Conditions.find(conditions, "ScaleSucceeded").isPresent()) {
      return Stage.SUCCEEDED;
    }
    if (Conditions.find(conditions, "ScaleFailed").isPresent()) {
      return Stage.FAILED;
    }
    if (Conditions.find(conditions, "ScriptExecuted").isPresent()) {
      return Stage.TOLD;
    }
    if (Conditions.find(conditions, "Scaling").isPresent()) {
      return Stage.SCALING;
    }
    return Conditions.find(conditions, "Created")
            .filter(created -> !OrphanedScalers.NOT_FOUND.equals(created.reason()))
            .isPresent()
        ? Stage.WAITING
        : Stage.NEW;
  }

  private static String phase(Stage stage) {
    return switch (stage) {
      case NEW, WAITING -> null;
      case SCALING, TOLD -> "Scaling";
      case SUCCEEDED -> "ScaleSucceeded";
      case FAILED -> "ScaleFailed";
    };
  }

  /**
   * How far the scaler is.
   *
   * @param job as {@code namespace/name}
   * @param up how many of the workers that it adds run
   */
  static <T extends ScalerStatus> T status(
      Scaler<?, T> scaler, String job, Resize resize, List<News> news, long up, Instant now) {
    var before = Optional.<ScalerStatus>ofNullable(scaler.getStatus());
    return scaler.status(
        phase(resize.stage()),
        conditions(before.map(ScalerStatus::conditions), job, resize, news, now),
        scaler instanceof ScaleOut ? Map.of("Worker", PodCounts.of(up, 0, 0)) : Map.of(),
        before.map(ScalerStatus::startTime).orElseGet(() -> Conditions.time(now)),
        before
            .map(ScalerStatus::completionTime)
            .orElseGet(() -> resize.stage().isEnd() ? Conditions.time(now) : null),
        resize.plan().isEmpty() ? null : resize.plan());
  }

  private static List<Condition> conditions(
      Optional<List<Condition>> before, String job, Resize resize, List<News> news, Instant now) {
    var id = resize.request().id();
    var conditions = new Conditions(before.orElse(List.of()), now);
    News.of(news, News.OfResize.class)
        .filter(item -> item.id().equals(id))
        .forEach(item -> {
          ScalerMessages.note(conditions, job, item);
          if (item instanceof News.ResizeNoticed) {
            conditions.happened(
                "Created",
                "",
                "Scaling job %s created, match the training job %s".formatted(id, job));
          } else if (item instanceof News.ResizeTold) {
            conditions.happened(
                "ScriptExecuted",
                "",
                "trainingjob(%s): execute script on launcher for %s".formatted(job, id));
          }
        });
    if (resize.stage() == Stage.WAITING) {
      conditions.forget(Set.of("Scaling", "ScriptExecuted"));
    }
    return conditions.list();
  }
}
