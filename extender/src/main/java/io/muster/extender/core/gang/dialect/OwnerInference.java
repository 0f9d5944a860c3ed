package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.TermsObject;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds the owner whose pods are a gang, from what a pod carries alone. Never for a pod that is
 * made only after the others run, or before them: a gang that waited for it would wait for ever.
 * Stateless; safe for concurrent use.
 */
public final class OwnerInference {

  /** On a namespace, {@code true}: pods of one owner are a gang where nothing says otherwise. */
  public static final String LABEL = "muster.io/infer-gangs";

  /** Kinds whose pods may be members, by the controller that makes them. */
  public static final Set<String> CONTROLLERS =
      Set.of("Job", "MPIJob", "PyTorchJob", "RayCluster", "StatefulSet");

  private static final String COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
  private static final String JOB_SET_NAME = "jobset.sigs.k8s.io/jobset-name";
  private static final String REPLICA_TYPE = "training.kubeflow.org/replica-type";
  private static final String JOB_ROLE = "training.kubeflow.org/job-role";
  private static final String TRAIN_STEP = "trainer.kubeflow.org/trainjob-ancestor-step";
  private static final String LEADER_WORKER_SET = "leaderworkerset.sigs.k8s.io/name";
  private static final String GROUP_INDEX = "leaderworkerset.sigs.k8s.io/group-index";
  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
  private static final String RAY_NODE = "ray.io/node-type";

  private static final Set<String> RAY_NODES = Set.of("", "head", "worker");

  private OwnerInference() {}

  /** The controller that made the pod. */
  public record Owner(String apiVersion, String kind, String name) {

    private boolean is(TermsObject.Kind known) {
      return kind.equals(known.word()) && apiVersion.startsWith(known.group() + "/");
    }
  }

  /**
   * The object in which the terms of the pod's gang stand; empty where none is to be inferred.
   *
   * @param podName empty if it is not known yet
   */
  public static Optional<TermsObject> infer(Markings markings, Owner owner, String podName) {
    if (isHelper(markings.labels())) {
      return Optional.empty();
    }
    if (owner.is(TermsObject.Kind.JOB)) {
      return ofJob(markings, owner);
    }
    if (owner.kind().equals("StatefulSet") && owner.apiVersion().startsWith("apps/")) {
      return ofLeaderWorkerSet(markings, podName);
    }
    return Stream.of(
            TermsObject.Kind.PYTORCH_JOB, TermsObject.Kind.MPI_JOB, TermsObject.Kind.RAY_CLUSTER)
        .filter(owner::is)
        .map(kind -> new TermsObject(kind, markings.namespace(), owner.name()))
        .findFirst();
  }

  private static boolean isHelper(Map<String, String> labels) {
    return "launcher".equals(labels.get(JOB_ROLE))
        || "launcher".equals(labels.getOrDefault(REPLICA_TYPE, "").toLowerCase(Locale.ROOT))
        || !labels.getOrDefault(TRAIN_STEP, "trainer").equals("trainer")
        || !RAY_NODES.contains(labels.getOrDefault(RAY_NODE, ""));
  }

  /** A Job that gives its pods indexes runs them together; one of a JobSet is a part of that. */
  private static Optional<TermsObject> ofJob(Markings markings, Owner owner) {
    var set = Optional.ofNullable(markings.labels().get(JOB_SET_NAME));
    if (set.isPresent()) {
      return Optional.of(
          new TermsObject(TermsObject.Kind.JOB_SET, markings.namespace(), set.get()));
    }
    return markings.annotations().containsKey(COMPLETION_INDEX)
        ? Optional.of(new TermsObject(TermsObject.Kind.JOB, markings.namespace(), owner.name()))
        : Optional.empty();
  }

  /**
   * A group of a LeaderWorkerSet: its leader, whose name ends with the group's index, and the
   * workers, which are told it. No other StatefulSet's pods start together.
   */
  private static Optional<TermsObject> ofLeaderWorkerSet(Markings markings, String podName) {
    return Optional.ofNullable(markings.labels().get(LEADER_WORKER_SET))
        .flatMap(set ->
            Optional.ofNullable(markings.labels().get(GROUP_INDEX))
                .or(() ->
                    Optional.of(podName)
                        .filter(name -> name.startsWith(set + "-"))
                        .map(name -> name.substring(set.length() + 1)))
                .filter(index -> NUMBER.matcher(index).matches())
                .map(index ->
                    new TermsObject(
                        TermsObject.Kind.LEADER_WORKER_SET,
                        markings.namespace(),
                        set + "/" + index)));
  }

  /** The owner as an annotation names it. */
  public static String text(TermsObject owner) {
    return owner.kind().word() + "/" + owner.name();
  }

  static Optional<TermsObject> parse(String namespace, String text) {
    int slash = text.indexOf('/');
    if (slash < 0 || slash == text.length() - 1) {
      return Optional.empty();
    }
    return Arrays.stream(TermsObject.Kind.values())
        .filter(TermsObject.Kind::isOwner)
        .filter(kind -> kind.word().equals(text.substring(0, slash)))
        .findFirst()
        .map(kind -> new TermsObject(kind, namespace, text.substring(slash + 1)));
  }
}
