package io.muster.webhook.core.rendezvous;

import static io.muster.webhook.core.rendezvous.OwnerKind.Mark.annotation;
import static io.muster.webhook.core.rendezvous.OwnerKind.Mark.label;

import io.muster.webhook.core.rendezvous.OwnerKind.LeaderAddress;
import io.muster.webhook.core.rendezvous.OwnerKind.Leaders;
import io.muster.webhook.core.rendezvous.OwnerKind.Mark;
import java.util.List;
import java.util.Optional;

/** The job kinds that clusters commonly have. */
public final class KnownKinds {

  private static final Mark COMPLETION = annotation("batch.kubernetes.io/job-completion-index");
  private static final Mark COMPLETION_LABEL = label("batch.kubernetes.io/job-completion-index");
  private static final String JOBSET = "jobset.sigs.k8s.io/";
  private static final String LWS = "leaderworkerset.sigs.k8s.io/";
  private static final String KUBEFLOW = "training.kubeflow.org/";
  private static final String VOLCANO = "volcano.sh/";
  private static final List<String> LEADERS = List.of("master", "chief");
  private static final Mark STATEFUL = label("statefulset.kubernetes.io/pod-name");

  /** The first whose mark a pod carries tells about it. */
  public static final List<OwnerKind> ALL =
      List.of(
          new OwnerKind(
              "JobSet",
              label(JOBSET + "jobset-name"),
              List.of(COMPLETION, COMPLETION_LABEL),
              Optional.empty(),
              Optional.of(label(JOBSET + "global-replicas")),
              Optional.empty(),
              Optional.empty(),
              Optional.of(label(JOBSET + "jobset-uid")),
              false,
              true),
          OwnerKind.of("Indexed Job", COMPLETION, COMPLETION, COMPLETION_LABEL),
          new OwnerKind(
              "LeaderWorkerSet",
              label(LWS + "worker-index"),
              List.of(label(LWS + "worker-index")),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.of(
                  new LeaderAddress(
                      "{" + LWS + "name}-{" + LWS + "group-index}", "{" + LWS + "name}")),
              Optional.empty(),
              false,
              true),
          new OwnerKind(
              "Kubeflow training job",
              label(KUBEFLOW + "replica-index"),
              List.of(label(KUBEFLOW + "replica-index")),
              Optional.empty(),
              Optional.empty(),
              Optional.of(new Leaders(label(KUBEFLOW + "replica-type"), LEADERS, true)),
              Optional.of(
                  new LeaderAddress("{" + KUBEFLOW + "job-name}-" + LeaderAddress.ROLE + "-0", "")),
              Optional.empty(),
              true,
              true),
          new OwnerKind(
              "Volcano Job",
              annotation(VOLCANO + "task-index"),
              List.of(annotation(VOLCANO + "task-index"), label(VOLCANO + "task-index")),
              Optional.empty(),
              Optional.empty(),
              Optional.of(new Leaders(annotation(VOLCANO + "task-spec"), LEADERS, false)),
              Optional.empty(),
              Optional.empty(),
              true,
              true),
          new OwnerKind(
              "Training job of et-operator",
              label("training-job-name"),
              List.of(label("replica-index")),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.of(new LeaderAddress("{training-job-name}-worker-0", "")),
              Optional.empty(),
              true,
              false),
          new OwnerKind(
              "StatefulSet",
              STATEFUL,
              List.of(label("apps.kubernetes.io/pod-index")),
              Optional.of(STATEFUL),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              false,
              true));

  private KnownKinds() {}
}
