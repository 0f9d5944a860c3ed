package io.muster.extender.core;

import io.muster.extender.core.cluster.AbsentClaim;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.HostPort;
import io.muster.extender.core.cluster.NodePin;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.cluster.Toleration;
import io.muster.extender.core.gang.Beside;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.NvlinkDomain;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.gang.dialect.Hints;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Builds pods in the words of the field. */
public final class PodBuilder {

  private final String namespace;
  private final String name;
  private String uid;
  private long gpus;
  private long cpuMillis;
  private Optional<String> node = Optional.empty();
  private Optional<Membership> membership = Optional.empty();
  private Pod.Phase phase = Pod.Phase.PENDING;
  private boolean deleting;
  private Pod.Grouping grouping = Pod.Grouping.NONE;
  private boolean mountsClaims;
  private boolean awaitsVolumes;
  private Optional<AbsentClaim> absentClaim = Optional.empty();
  private List<List<NodeTerm>> volumes = List.of();
  private boolean consents;
  private boolean marked = true;
  private boolean plain = true;
  private Set<String> gates = Set.of();
  private final Map<String, String> labels = new HashMap<>();
  private Optional<String> controller = Optional.of("job-uid");
  private Optional<String> placement = Optional.empty();
  private Instant createdAt = Instant.EPOCH;
  private Map<String, String> nodeSelector = Map.of();
  private List<Toleration> tolerations = List.of();
  private List<NodeTerm> terms = List.of();
  private List<NodeTerm> preferred = List.of();
  private Optional<String> nominated = Optional.empty();
  private String scheduler = "default-scheduler";
  private List<HostPort> hostPorts = List.of();
  private Optional<Demand> later = Optional.empty();
  private boolean observed;
  private Hints hints = Hints.NONE;
  private boolean preempts = true;
  private Duration grace = Duration.ofSeconds(30);
  private int priority;

  private PodBuilder(String namespace, String name) {
    this.namespace = namespace;
    this.name = name;
    this.uid = "uid-" + name;
  }

  public static PodBuilder aPod(String name) {
    return new PodBuilder("ml", name);
  }

  public static PodBuilder aPod(String namespace, String name) {
    return new PodBuilder(namespace, name);
  }

  public PodBuilder uid(String value) {
    uid = value;
    return this;
  }

  public PodBuilder gpus(long value) {
    gpus = value;
    return this;
  }

  public PodBuilder cpuMillis(long value) {
    cpuMillis = value;
    return this;
  }

  public PodBuilder scheduler(String value) {
    scheduler = value;
    return this;
  }

  public PodBuilder hostPort(String protocol, String address, int port) {
    hostPorts = List.of(new HostPort(protocol, address, port));
    return this;
  }

  public PodBuilder on(String value) {
    node = Optional.of(value);
    return this;
  }

  public PodBuilder gang(String gangName, int min) {
    membership =
        Optional.of(
            new Membership(
                new GangId(Dialect.KOORDINATOR, namespace, gangName),
                new Terms.Usable(
                    min,
                    min,
                    Terms.Mode.STRICT,
                    Terms.MatchPolicy.ONCE_SATISFIED,
                    Duration.ofMinutes(10),
                    new TreeSet<>(Set.of(namespace + "/" + gangName)),
                    Collections.emptySortedMap(),
                    Terms.OnLoss.REPLACE,
                    Topology.ANYWHERE),
                -1,
                List.of()));
    return this;
  }

  /** A member of a gang with these terms, in the pod's namespace. */
  public PodBuilder gang(String gangName, Terms.Usable terms, String role) {
    membership =
        Optional.of(
            new Membership(
                new GangId(Dialect.KOORDINATOR, namespace, gangName), terms, role, -1, List.of()));
    return this;
  }

  /** A member of the gang whose terms stand in that object. */
  public PodBuilder gang(Dialect dialect, TermsObject object) {
    membership =
        Optional.of(
            new Membership(
                new GangId(dialect, namespace, object.gangName()),
                new Terms.InObject(object, Beside.NOTHING),
                -1,
                List.of()));
    return this;
  }

  public PodBuilder unusableGang(String gangName, String field, String value, String problem) {
    membership =
        Optional.of(
            new Membership(
                new GangId(Dialect.KOORDINATOR, namespace, gangName),
                new Terms.Unusable(field, value, problem),
                -1,
                List.of()));
    return this;
  }

  /** What the member that it is by now says about NVLink over nodes. */
  public PodBuilder nvlink(NvlinkDomain said) {
    membership =
        membership.map(member ->
            new Membership(
                member.gang(),
                member.terms(),
                member.role(),
                member.index(),
                member.warnings(),
                said));
    return this;
  }

  /** Makes the member that it is by now one that can never be placed. */
  public PodBuilder unplaceable(String field, String value, String problem) {
    membership = membership.map(member -> member.unplaceable(field, value, problem));
    return this;
  }

  /** Says that a pod which asks for the same as this one comes later. */
  public PodBuilder beforeOne(Pod comingLater) {
    later = Optional.of(comingLater.demand());
    return this;
  }

  public PodBuilder phase(Pod.Phase value) {
    phase = value;
    return this;
  }

  public PodBuilder deleting() {
    deleting = true;
    return this;
  }

  /** With scheduling gates of others. */
  public PodBuilder gatedBy(String... others) {
    gates = Set.of(others);
    return this;
  }

  public PodBuilder gated() {
    gates = Set.of(Pod.GATE);
    return this;
  }

  /** That controller makes it anew. */
  public PodBuilder ownedBy(String controllerUid) {
    controller = Optional.of(controllerUid);
    return this;
  }

  /** How long it may take to end. */
  public PodBuilder grace(Duration value) {
    grace = value;
    return this;
  }

  /** Nobody makes it anew. */
  public PodBuilder bare() {
    controller = Optional.empty();
    return this;
  }

  /** Nobody makes it anew, but it may be tied to its place. */
  public PodBuilder consenting() {
    consents = true;
    return bare();
  }

  /** Made without the webhook, which would have had kube-scheduler ask about it. */
  public PodBuilder unmarked() {
    marked = false;
    return this;
  }

  /** Something that the plan does not know of decides where it can run. */
  public PodBuilder byRulesOfItsOwn() {
    plain = false;
    return this;
  }

  /** In the PodGroup that Muster makes for its gang. */
  public PodBuilder grouped() {
    grouping = Pod.Grouping.OWN;
    return this;
  }

  /** In a PodGroup that somebody else has made, and whose gang waits in a queue of Muster's. */
  public PodBuilder queued() {
    grouping = Pod.Grouping.QUEUED;
    return this;
  }

  /** In such a PodGroup, whose gang the cluster starts without Muster. */
  public PodBuilder leftToTheCluster() {
    grouping = Pod.Grouping.OTHER;
    observed = true;
    return this;
  }

  public PodBuilder mountingClaims() {
    mountsClaims = true;
    return this;
  }

  /** Mounts a claim that has no volume yet. */
  public PodBuilder awaitingVolumes() {
    awaitsVolumes = true;
    return mountingClaims();
  }

  /** Mounts a claim that cannot be used. */
  public PodBuilder lacking(AbsentClaim claim) {
    absentClaim = Optional.of(claim);
    return awaitingVolumes();
  }

  /** Mounts a claim whose volume can be used where this holds. */
  public PodBuilder onVolume(NodeTerm where) {
    volumes = List.of(List.of(where));
    return mountingClaims();
  }

  public PodBuilder placedBy(long incarnation) {
    placement = Optional.of(Long.toString(incarnation));
    return this;
  }

  public PodBuilder createdAt(Instant value) {
    createdAt = value;
    return this;
  }

  public PodBuilder selecting(String key, String value) {
    nodeSelector = Map.of(key, value);
    return this;
  }

  public PodBuilder tolerating(Toleration... values) {
    tolerations = List.of(values);
    return this;
  }

  public PodBuilder anyOf(NodeTerm... values) {
    terms = List.of(values);
    return this;
  }

  public PodBuilder preferring(NodeTerm... values) {
    preferred = List.of(values);
    return this;
  }

  public PodBuilder priority(int value) {
    priority = value;
    return this;
  }

  public PodBuilder nominated(String value) {
    nominated = Optional.of(value);
    return this;
  }

  public PodBuilder queue(String value) {
    hints =
        new Hints(
            Optional.of(value),
            hints.runTime(),
            hints.checkpoint(),
            hints.preemptible(),
            hints.runTimeLimit());
    return this;
  }

  public PodBuilder running(Duration value) {
    hints =
        new Hints(
            hints.queue(),
            Optional.of(value),
            hints.checkpoint(),
            hints.preemptible(),
            hints.runTimeLimit());
    return this;
  }

  /** It may run so long. */
  public PodBuilder atMost(Duration limit) {
    hints =
        new Hints(
            hints.queue(),
            hints.runTime(),
            hints.checkpoint(),
            hints.preemptible(),
            Optional.of(limit));
    return this;
  }

  /** It goes on from checkpoints that it writes so often. */
  public PodBuilder saving(Duration every) {
    hints =
        new Hints(
            hints.queue(),
            hints.runTime(),
            Optional.of(every),
            hints.preemptible(),
            hints.runTimeLimit());
    return this;
  }

  public PodBuilder preemptingNobody() {
    preempts = false;
    return this;
  }

  /** A pod whose gang that scheduler starts. */
  public PodBuilder startedBy(String value) {
    scheduler = value;
    observed = true;
    return this;
  }

  public PodBuilder label(String key, String value) {
    labels.put(key, value);
    return this;
  }

  /** One that nobody is to be let in for. */
  public PodBuilder toBeLeftAlone() {
    hints =
        new Hints(
            hints.queue(),
            hints.runTime(),
            hints.checkpoint(),
            Optional.of(false),
            hints.runTimeLimit());
    return this;
  }

  /** One that says that it may be ended for others. */
  public PodBuilder preemptible() {
    hints =
        new Hints(
            hints.queue(),
            hints.runTime(),
            hints.checkpoint(),
            Optional.of(true),
            hints.runTimeLimit());
    return this;
  }

  public Pod build() {
    var requests =
        new Resources(
            cpuMillis, 0, gpus == 0 ? Map.of() : Map.of("nvidia.com/gpu", gpus), hostPorts);
    var pod =
        new Pod(
            new PodKey(namespace, name, uid),
            new Demand(requests, nodeSelector, terms, tolerations).preferring(preferred),
            new Pod.Progress(phase, node, nominated, deleting, gates),
            new Pod.Origin(
                createdAt,
                scheduler,
                controller,
                mountsClaims,
                grouping,
                marked,
                placement,
                false,
                new Pod.Pinning(
                    plain, plain && (consents || controller.isPresent()), Optional.empty()),
                priority,
                labels),
            observed ? Optional.empty() : membership,
            later,
            observed ? membership : Optional.empty(),
            new Pod.Wishes(hints, preempts, grace));
    return pod.mounting(volumes, awaitsVolumes, absentClaim);
  }

  /** The same pod, bound for that incarnation. */
  public static Pod bound(Pod pod, Pod.Progress progress, Optional<String> placement) {
    return of(pod.at(progress), pod.demand(), placement, pod.origin().pinning());
  }

  /** The same pod once its owner references have been taken off it. */
  public static Pod orphaned(Pod pod) {
    var origin = pod.origin();
    return of(pod, pod.demand(), Optional.empty(), origin.placement(), origin.pinning());
  }

  /** The same pod, tied to nodes. */
  public static Pod tied(Pod pod, NodePin pin) {
    return of(
        pod,
        pin.tie(pod.demand()),
        pod.origin().placement(),
        new Pod.Pinning(
            pod.origin().pinning().plain(), pod.origin().pinning().allowed(), Optional.of(pin)));
  }

  /** The same pod in the PodGroup that Muster makes for its gang. */
  public static Pod grouped(Pod pod) {
    return of(
        pod,
        pod.shape(),
        pod.origin().controllerUid(),
        pod.origin().placement(),
        pod.origin().pinning(),
        Pod.Grouping.OWN);
  }

  private static Pod of(Pod pod, Demand demand, Optional<String> placement, Pod.Pinning pinning) {
    return of(pod, demand, pod.origin().controllerUid(), placement, pinning);
  }

  private static Pod of(
      Pod pod,
      Demand demand,
      Optional<String> controller,
      Optional<String> placement,
      Pod.Pinning pinning) {
    return of(pod, demand, controller, placement, pinning, pod.origin().grouping());
  }

  private static Pod of(
      Pod pod,
      Demand demand,
      Optional<String> controller,
      Optional<String> placement,
      Pod.Pinning pinning,
      Pod.Grouping grouping) {
    var origin = pod.origin();
    return new Pod(
        pod.key(),
        demand,
        pod.progress(),
        new Pod.Origin(
            origin.createdAt(),
            origin.schedulerName(),
            controller,
            origin.mountsClaims(),
            grouping,
            origin.marked(),
            placement,
            origin.controlled(),
            pinning,
            origin.priority(),
            origin.labels()),
        pod.membership(),
        pod.later(),
        pod.observed(),
        pod.wishes());
  }
}
