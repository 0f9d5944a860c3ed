package io.muster.extender.core.gang;

import java.util.Locale;

/**
 * An object of the cluster in which the terms of a gang stand, so that its members need not state
 * them. Immutable.
 */
public record TermsObject(Kind kind, String namespace, String name) {

  /** The kinds of such objects, as users write them. */
  public enum Kind {
    /** Of the coscheduling plugin of kubernetes-sigs/scheduler-plugins. */
    PLUGINS_POD_GROUP("PodGroup", "scheduling.x-k8s.io"),
    /** Of Koordinator. */
    KOORDINATOR_POD_GROUP("PodGroup", "scheduling.sigs.k8s.io"),
    /** Of Volcano. */
    VOLCANO_POD_GROUP("PodGroup", "scheduling.volcano.sh"),
    /** Of the KAI scheduler. */
    KAI_POD_GROUP("PodGroup", "scheduling.run.ai"),
    /** Of the cluster's own gang scheduling. */
    NATIVE_POD_GROUP("PodGroup", "scheduling.k8s.io"),
    /** Of the cluster's own gang scheduling before PodGroups were objects of their own. */
    NATIVE_WORKLOAD("Workload", "scheduling.k8s.io"),
    /** An indexed Job. */
    JOB("Job", "batch"),
    /** Of kubernetes-sigs/jobset. */
    JOB_SET("JobSet", "jobset.x-k8s.io"),
    /** Of Kubeflow's training operator. */
    PYTORCH_JOB("PyTorchJob", "kubeflow.org"),
    /** Of Kubeflow's MPI operator or training operator. */
    MPI_JOB("MPIJob", "kubeflow.org"),
    /** Of KubeRay. */
    RAY_CLUSTER("RayCluster", "ray.io"),
    /** Of kubernetes-sigs/lws; each of its groups is a gang of its own: {@code name/index}. */
    LEADER_WORKER_SET("LeaderWorkerSet", "leaderworkerset.x-k8s.io");

    private final String word;
    private final String group;

    Kind(String word, String group) {
      this.word = word;
      this.group = group;
    }

    /** The kind, as a manifest spells it. */
    public String word() {
      return word;
    }

    /** Whether it makes the members itself, and is read only where pods name it. */
    public boolean isOwner() {
      return switch (this) {
        case JOB, JOB_SET, PYTORCH_JOB, MPI_JOB, RAY_CLUSTER, LEADER_WORKER_SET -> true;
        case PLUGINS_POD_GROUP,
            KOORDINATOR_POD_GROUP,
            VOLCANO_POD_GROUP,
            KAI_POD_GROUP,
            NATIVE_POD_GROUP,
            NATIVE_WORKLOAD ->
            false;
      };
    }

    /** The API group, which tells apart kinds of one name. */
    public String group() {
      return group;
    }
  }

  /** The name of the gang: the object's, and of an owner its kind before that. */
  public String gangName() {
    return kind.isOwner()
        ? kind.word().toLowerCase(Locale.ROOT) + "-" + name.replace('/', '-')
        : name;
  }

  /**
   * The object that says it: all groups of a LeaderWorkerSet are alike, however many it says that
   * there are.
   */
  public TermsObject whole() {
    int slash = name.indexOf('/');
    return kind == Kind.LEADER_WORKER_SET && slash > 0
        ? new TermsObject(kind, namespace, name.substring(0, slash))
        : this;
  }

  /** What keeps the gang waiting while the object is not there, and what to do about it. */
  public String missing() {
    return "%s \"%s\" (%s) does not exist in namespace \"%s\"; create it"
        .formatted(kind.word(), Stated.legible(whole().name()), kind.group(), namespace);
  }
}
