package io.muster.extender.core.gang;

import java.util.Set;

/**
 * Muster's own keys about a gang; {@code DialectKeys} has what marks a member in the other
 * ecosystems.
 */
public final class GangKeys {

  /** Every own annotation about a gang begins so. */
  public static final String PREFIX = "muster.io/gang-";

  public static final String NAME = PREFIX + "name";
  public static final String MIN = PREFIX + "min";
  public static final String TOTAL = PREFIX + "total";
  public static final String TIMEOUT = PREFIX + "timeout";
  public static final String MODE = PREFIX + "mode";
  public static final String MATCH_POLICY = PREFIX + "match-policy";
  public static final String GROUPS = PREFIX + "groups";
  public static final String INDEX = PREFIX + "index";

  /**
   * The owner whose pods are the gang, as {@code Kind/name}; written by Muster where the namespace
   * has it infer gangs.
   */
  public static final String OF = PREFIX + "of";

  /** Which role the pod plays; read beside the terms of any dialect. */
  public static final String ROLE = PREFIX + "role";

  /** Fewest members of each role that may start, as {@code launcher=1,worker=4}. */
  public static final String ROLES = PREFIX + "roles";

  /** Level of which all members must be in one domain: its name, or the key of a node label. */
  public static final String TOPOLOGY_REQUIRED = PREFIX + "topology-required";

  /** Levels, nearest first: all members go to one domain of the first that can. */
  public static final String TOPOLOGY_PREFERRED = PREFIX + "topology-preferred";

  /**
   * How many consecutive members must be in one domain of which level: {@code rack=16,block=64}.
   */
  public static final String SEGMENTS = PREFIX + "segments";

  /** What says how close members are to be, and names no gang. */
  public static final Set<String> CLOSENESS =
      Set.of(TOPOLOGY_REQUIRED, TOPOLOGY_PREFERRED, SEGMENTS);

  /**
   * Name of a gang of the namespace in whose domains the members are to be, as far as they name
   * levels; for those who make a running job larger.
   */
  public static final String JOINS = PREFIX + "joins";

  /** {@code replace}, {@code shrink}, {@code restart} or {@code owner}. */
  public static final String ON_LOSS = PREFIX + "on-loss";

  /** JSON of the PodSpec of one more pod, which the gang's owner makes once the members run. */
  public static final String LATER = PREFIX + "later";

  /** Written at admission: the label of the {@link Dialect} that was recognised. */
  public static final String DIALECT = PREFIX + "dialect";

  /** Written when Muster binds a member: the incarnation of the gang it was placed for. */
  public static final String INCARNATION = PREFIX + "incarnation";

  /** Written, {@code true}, when Muster gives a pod its place that has a controller. */
  public static final String CONTROLLED = "muster.io/controlled";

  /** Which queue the pod is in; else its namespace's. */
  public static final String QUEUE = "muster.io/queue";

  /** How long the pod will run once it has started, as its user believes: {@code 90m}. */
  public static final String RUN_TIME = "muster.io/run-time";

  /** How long the pod may run once it has started; then its gang is ended: {@code 4h}. */
  public static final String RUN_TIME_LIMIT = "muster.io/run-time-limit";

  /** How often the work is saved from which the gang goes on when it starts again: {@code 10m}. */
  public static final String CHECKPOINT = "muster.io/checkpoint-every";

  /** Whether the pod may be ended for others that come before it; {@code false}: never. */
  public static final String PREEMPTIBLE = "muster.io/preemptible";

  /**
   * Label on any member of a gang that has started: with how few its owner goes on by now, having
   * given others back. From then on that many are enough.
   */
  public static final String ENOUGH = "muster.io/members-enough";

  /**
   * Label, the uid of a Job: written by Muster on a pod that it ends, taken from that Job, which
   * replaces only those that have ended: until this one has, its gang and pods of the Job do not
   * start.
   */
  public static final String ENDS_FIRST = "muster.io/ends-first";

  /** {@code auto}, {@code required} or {@code none}: whether members share NVLink over nodes. */
  public static final String NVLINK_DOMAIN = "muster.io/nvlink-domain";

  /** Written at admission: which rules were applied to the pod, as {@code profile@hash}. */
  public static final String INJECTED = "muster.io/injected";

  /** Label, {@code true}: written at admission on each member of a gang, of any dialect. */
  public static final String MEMBER = "muster.io/member";

  /** Label, {@code false}: the pod is to be stored as it is; not for members of a gang. */
  public static final String INJECT = "muster.io/inject";

  /** {@code allowed} or {@code never}: whether the pod may get node affinity at its release. */
  public static final String PIN = "muster.io/pin";

  /** Written by Muster: the place and the nodes that the pod was tied to. */
  public static final String PINNED = "muster.io/pinned";

  /** Written by Muster: the number of the member's innermost segment, from 0. */
  public static final String SEGMENT = "muster.io/segment";

  /** Written by Muster: in which domain of the nearest level that its gang names the member is. */
  public static final String DOMAIN = "muster.io/domain";

  private GangKeys() {}
}
