package io.muster.extender.kube.convert;

import static io.muster.extender.kube.ApiFields.filled;
import static io.muster.extender.kube.ApiFields.present;
import static io.muster.extender.kube.ApiFields.text;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.NvlinkDomain;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.gang.dialect.Hints;
import io.muster.extender.kube.ApiFields;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Turns objects of the cluster into what the decisions see. Total for any object that the client
 * can read, whatever is missing in it. A pod without a creation time (not stored yet) counts as
 * made at the epoch. Safe for concurrent use.
 */
public final class PodConverter {

  private static final String DEFAULT_SCHEDULER = "default-scheduler";

  /** Those that the API server gives have 36 characters. */
  private static final int LONGEST_UID = 64;

  /** Shapes kept in mind; a cluster has far fewer, unless every pod names its own nodes. */
  private static final int MOST_DEMANDS = 4096;

  private final Map<Demand, Demand> demands = new ConcurrentHashMap<>();
  private final DialectDetector recogniser;
  private final Optional<Set<String>> schedulers;
  private final Amounts amounts = new Amounts();
  private final NodeReading nodes = new NodeReading(amounts);
  private final PodRequests requests = new PodRequests(amounts);
  private final DeviceRule devices = new DeviceRule(amounts);
  private final LaterReading later = new LaterReading(requests, devices);

  public PodConverter(DialectDetector recogniser) {
    this(recogniser, Optional.empty());
  }

  /**
   * @param schedulers pods of others belong to no gang here, whatever they carry: they take room,
   *     and their gangs are observed
   */
  public PodConverter(DialectDetector recogniser, Set<String> schedulers) {
    this(recogniser, Optional.of(Set.copyOf(schedulers)));
  }

  private PodConverter(DialectDetector recogniser, Optional<Set<String>> schedulers) {
    this.recogniser = recogniser;
    this.schedulers = schedulers;
  }

  /**
   * The node; not ready where it does not say that it is, and with no room where it states none.
   */
  public Node node(io.fabric8.kubernetes.api.model.Node node) {
    return nodes.read(node);
  }

  /** The pod with its gang, if its markings name one. */
  public Pod pod(io.fabric8.kubernetes.api.model.Pod pod) {
    var metadata = Objects.requireNonNullElseGet(pod.getMetadata(), ObjectMeta::new);
    var spec = Objects.requireNonNullElseGet(pod.getSpec(), PodSpec::new);
    var status = Objects.requireNonNullElseGet(pod.getStatus(), PodStatus::new);
    var markings = markings(metadata, spec);
    var stated = recogniser.recognise(markings);
    var grouping = GroupReading.grouping(markings, spec, stated);
    boolean isOurs = isOurs(grouping, spec);
    var uid = text(metadata.getUid());
    var recognised =
        isOurs
            ? stated.map(found -> GroupReading.checked(found, markings))
            : Optional.<Membership>empty();
    var asked = alone(requests.of(spec, status), markings, spec);
    var domain = recognised.flatMap(PodConverter::domain);
    var key = new PodKey(markings.namespace(), text(metadata.getName()), uid);
    var claims = entries(key, domain, spec, status);
    var member =
        claims.stream().anyMatch(MemberClaims.Entry::isOfDomain)
            ? recognised.map(Membership::claimingNvlink)
            : recognised;
    var demand =
        shared(Constraints.demand(withClaims(asked, claims, spec, member.isPresent()), spec));
    var read = later.read(member.map(found -> checked(found, markings, spec, claims)), markings);
    return new Pod(
        key,
        demand,
        ProgressReading.of(metadata, spec, status),
        origin(metadata, spec, grouping, NodePinReading.of(metadata, spec, demand)),
        read.membership(),
        read.demand(),
        isOurs
            ? Optional.empty()
            : recogniser.observe(markings).or(() -> YunikornReading.read(markings)),
        new Pod.Wishes(
            Hints.of(markings),
            !"Never".equals(spec.getPreemptionPolicy()),
            Duration.ofSeconds(
                Math.max(
                    0, Objects.requireNonNullElse(spec.getTerminationGracePeriodSeconds(), 30L)))));
  }

  /** The same, and not to share its node with a pod that it is not to share it with. */
  private static Resources alone(Resources asked, Markings markings, PodSpec spec) {
    var beside = AntiAffinity.of(markings.namespace(), markings.labels(), spec);
    return beside.isEmpty()
        ? asked
        : asked.withHostPorts(Stream.concat(asked.hostPorts().stream(), beside.stream()).toList());
  }

  /** Pods of one template share one demand: thousands of them cost little, and compare fast. */
  private Demand shared(Demand demand) {
    if (demands.size() > MOST_DEMANDS) {
      demands.clear();
    }
    return demands.computeIfAbsent(demand, same -> same);
  }

  /**
   * A pod whose gang the cluster itself or another scheduler starts is in none of ours, whatever
   * its markings say.
   */
  private boolean isOurs(Pod.Grouping grouping, PodSpec spec) {
    return grouping != Pod.Grouping.OTHER
        && schedulers.filter(served -> !served.contains(schedulerOf(spec))).isEmpty();
  }

  /** What a pod on a node may ask for is no longer the question. */
  private Membership checked(
      Membership found, Markings markings, PodSpec spec, List<MemberClaims.Entry> claims) {
    return isOnNode(spec) ? found : devices.checked(found, markings, spec, claims);
  }

  /**
   * A member asks for what it claims. Any other pod takes its devices when kube-scheduler has
   * placed it: until then they leave the node's offer.
   */
  private Resources withClaims(
      Resources asked, List<MemberClaims.Entry> claims, PodSpec spec, boolean isMember) {
    if (isOnNode(spec)) {
      return devices.withAllocated(asked, claims, isMember);
    }
    return isMember ? devices.withClaims(asked, claims) : asked;
  }

  private static boolean isOnNode(PodSpec spec) {
    return filled(spec.getNodeName()).isPresent();
  }

  /** The name of the NVLink domain that a member may claim. */
  private static Optional<String> domain(Membership member) {
    return member.nvlink().word().asks()
        ? Optional.of(NvlinkDomain.nameOf(member.gang()))
        : Optional.empty();
  }

  private static List<MemberClaims.Entry> entries(
      PodKey pod, Optional<String> domain, PodSpec spec, PodStatus status) {
    var made = spec.getResourceClaims().isEmpty() ? Map.<String, String>of() : madeFor(status);
    return spec.getResourceClaims().stream()
        .map(claim ->
            new MemberClaims.Entry(
                pod.namespace(),
                pod.uid(),
                claim,
                Optional.ofNullable(made.get(text(claim.getName()))),
                domain
                    .filter(name -> name.equals(claim.getResourceClaimTemplateName()))
                    .isPresent()))
        .toList();
  }

  /** Names of claims that were made for the pod, by entry; there may be thousands. */
  private static Map<String, String> madeFor(PodStatus status) {
    var byEntry = new HashMap<String, String>();
    for (var made : status.getResourceClaimStatuses()) {
      filled(made.getResourceClaimName())
          .ifPresent(name -> byEntry.putIfAbsent(text(made.getName()), name));
    }
    return byEntry;
  }

  /**
   * Devices of these classes are counted under these names in what is read from now on.
   *
   * @param byClass resource name by the name of the class
   */
  public void nameDevices(Map<String, String> byClass) {
    requests.nameDevices(byClass);
  }

  /** What members claim is looked up there from now on. */
  public void claimsBy(MemberClaims claims) {
    devices.claimsBy(claims);
  }

  /** How far the pod has come, the one part of it that changes often. */
  public Pod.Progress progress(io.fabric8.kubernetes.api.model.Pod pod) {
    return ProgressReading.of(
        Objects.requireNonNullElseGet(pod.getMetadata(), ObjectMeta::new),
        Objects.requireNonNullElseGet(pod.getSpec(), PodSpec::new),
        Objects.requireNonNullElseGet(pod.getStatus(), PodStatus::new));
  }

  private static Markings markings(ObjectMeta metadata, PodSpec spec) {
    var markings =
        new Markings(
            text(metadata.getNamespace()),
            present(metadata.getLabels()),
            present(metadata.getAnnotations()));
    return GroupReading.named(markings.namespace(), spec).map(markings::in).orElse(markings);
  }

  private static Pod.Origin origin(
      ObjectMeta metadata, PodSpec spec, Pod.Grouping grouping, Pod.Pinning pinning) {
    var controller =
        metadata.getOwnerReferences().stream()
            .filter(owner -> Boolean.TRUE.equals(owner.getController()))
            .map(OwnerReference::getUid)
            .flatMap(uid -> filled(uid).stream())
            .map(PodConverter::stored)
            .findFirst();
    return new Pod.Origin(
        ApiFields.instant(text(metadata.getCreationTimestamp())).orElse(Instant.EPOCH),
        schedulerOf(spec),
        controller,
        mountsClaims(spec),
        grouping,
        isMarked(spec),
        filled(present(metadata.getAnnotations()).get(GangKeys.INCARNATION)),
        "true".equals(present(metadata.getAnnotations()).get(GangKeys.CONTROLLED)),
        pinning,
        Objects.requireNonNullElse(spec.getPriority(), 0),
        present(metadata.getLabels()));
  }

  /**
   * The uid of an owner, or what stands for it where it is none of the API server's: anybody may
   * write a longer one into his pods than fits into an object in which it is stored.
   */
  private static String stored(String uid) {
    return uid.length() <= LONGEST_UID
        ? uid
        : UUID.nameUUIDFromBytes(uid.getBytes(StandardCharsets.UTF_8)).toString();
  }

  private static String schedulerOf(PodSpec spec) {
    var scheduler = text(spec.getSchedulerName());
    return scheduler.isEmpty() ? DEFAULT_SCHEDULER : scheduler;
  }

  private static boolean isMarked(PodSpec spec) {
    return Stream.concat(spec.getContainers().stream(), spec.getInitContainers().stream())
        .map(Container::getResources)
        .filter(Objects::nonNull)
        .anyMatch(resources ->
            present(resources.getRequests()).containsKey(Accelerators.MARKER)
                || present(resources.getLimits()).containsKey(Accelerators.MARKER));
  }

  static boolean mountsClaims(PodSpec spec) {
    return !spec.getResourceClaims().isEmpty()
        || spec.getVolumes().stream()
            .anyMatch(v -> v.getPersistentVolumeClaim() != null || v.getEphemeral() != null);
  }
}
