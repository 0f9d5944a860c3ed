package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.extender.core.bounds.Bounds;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.device.Claim;
import io.muster.extender.core.device.NodeDevices.KnownClass;
import io.muster.extender.kube.convert.MemberClaims;
import io.muster.extender.kube.device.ClaimedDevices;
import io.muster.extender.kube.device.DeviceReading;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Knows what pods claim: the templates and claims that they name, and the classes of devices.
 * Templates are watched from the moment a member names one. Safe for concurrent use.
 *
 * <ol>
 *   <li>Devices of a class without counted devices are kube-scheduler's matter.
 *   <li>So many devices of a class count by that class.
 *   <li>Anything else of a class with an extended resource name is refused, with what would do; of
 *       another class it is kube-scheduler's matter.
 *   <li>Where an object that a member names is not there, the member waits for it; not for the
 *       template of its gang's NVLink domain, which is known before it is made.
 *   <li>Once a claim was made of a template for a pod, it says what the pod claims: the template
 *       may change or go.
 *   <li>Devices of a claim that several pods use count for one of them ({@link Claim#pod}).
 * </ol>
 */
final class ClaimFeed implements MemberClaims, AutoCloseable {

  /** Kinds of objects that say what is claimed. */
  private enum Kind {
    TEMPLATE("ResourceClaimTemplate"),
    CLAIM("ResourceClaim");

    private final String word;

    Kind(String word) {
      this.word = word;
    }
  }

  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

  private record Named(Kind kind, String namespace, String name) {}

  /** What an object asks for, and what it has got if it is a claim. */
  private record Known(ClaimedDevices asked, Optional<Claim> claim) {

    boolean isFor(String uid) {
      return claim.flatMap(Claim::pod).equals(Optional.of(uid));
    }
  }

  private final KubernetesClient client;
  private final Consumer<Set<PodKey>> concerned;
  private final SideWatches watches;

  /** What is claimed by each object that can be named. */
  private final Map<Named, Known> claimed = new HashMap<>();

  /** Pods that name an object, or for which it was made, and have not ended. */
  private final Map<Named, Set<PodKey>> users = new HashMap<>();

  /** The same the other way round. */
  private final Map<PodKey, Set<Named>> named = new HashMap<>();

  /** Kinds of which all have been read. */
  private final Set<Kind> listed = EnumSet.noneOf(Kind.class);

  private Map<String, KnownClass> classes = Map.of();
  private boolean isServed;
  private boolean areTemplatesNeeded;
  private boolean isWatching;

  /**
   * @param concerned is told which pods may claim something else than before
   */
  ClaimFeed(KubernetesClient client, Consumer<Set<PodKey>> concerned) {
    this.client = client;
    this.watches = new SideWatches(client);
    this.concerned = concerned;
  }

  /** The API of claims is there: what members name can be looked up. */
  void served() {
    Set<PodKey> all;
    synchronized (this) {
      isServed = true;
      all = Set.copyOf(named.keySet());
    }
    tell(all);
    watchWhereNeeded();
  }

  /** All claims have been told. */
  void claimsListed() {
    listed(Kind.CLAIM);
  }

  private void listed(Kind kind) {
    Set<PodKey> waiting;
    synchronized (this) {
      waiting =
          listed.add(kind)
              ? users.entrySet().stream()
                  .filter(entry -> entry.getKey().kind() == kind)
                  .filter(entry -> !claimed.containsKey(entry.getKey()))
                  .flatMap(entry -> entry.getValue().stream())
                  .collect(Collectors.toSet())
              : Set.of();
    }
    tell(waiting);
  }

  /**
   * A pod is about to be read: from now on it is told if what it names changes. A pod that names no
   * claims costs nothing, and one that has ended uses none.
   */
  void reading(Pod pod) {
    if (pod.getSpec() == null || pod.getSpec().getResourceClaims().isEmpty() || hasEnded(pod)) {
      return;
    }
    var metadata = pod.getMetadata();
    var key = new PodKey(metadata.getNamespace(), metadata.getName(), metadata.getUid());
    var sharers = new HashSet<PodKey>();
    synchronized (this) {
      for (var one : namedBy(pod)) {
        var ofIt = users.computeIfAbsent(one, _ -> new HashSet<>());
        if (ofIt.add(key)) {
          named.computeIfAbsent(key, _ -> new HashSet<>()).add(one);
          if (one.kind() == Kind.CLAIM && ofIt.size() == 2) {
            sharers.addAll(ofIt);
          }
        }
      }
    }
    sharers.remove(key);
    tell(sharers);
  }

  private static boolean hasEnded(Pod pod) {
    return pod.getStatus() != null && ENDED.contains(String.valueOf(pod.getStatus().getPhase()));
  }

  private static Collection<Named> namedBy(Pod pod) {
    var namespace = pod.getMetadata().getNamespace();
    var made =
        pod.getStatus() == null
            ? Stream.<Named>empty()
            : pod.getStatus().getResourceClaimStatuses().stream()
                .filter(one -> one.getResourceClaimName() != null)
                .map(one -> new Named(Kind.CLAIM, namespace, one.getResourceClaimName()));
    return Stream.concat(
            pod.getSpec().getResourceClaims().stream().map(claim -> named(namespace, claim)), made)
        .toList();
  }

  /** The pod has been read. */
  void seen(io.muster.extender.core.cluster.Pod read) {
    synchronized (this) {
      if (!named.containsKey(read.key())) {
        return;
      }
      areTemplatesNeeded |= read.membership().isPresent() && !read.isTerminal();
    }
    if (read.isTerminal()) {
      gone(read.key());
    } else {
      watchWhereNeeded();
    }
  }

  /** The pod has ended or gone. */
  void gone(PodKey key) {
    var left = new HashSet<PodKey>();
    synchronized (this) {
      for (var one : Optional.ofNullable(named.remove(key)).orElse(Set.of())) {
        var ofIt = users.get(one);
        ofIt.remove(key);
        if (ofIt.isEmpty()) {
          users.remove(one);
        } else if (one.kind() == Kind.CLAIM && ofIt.size() == 1) {
          left.addAll(ofIt);
        }
      }
    }
    tell(left);
  }

  /** Classes are these from now on. */
  void classes(Map<String, KnownClass> known) {
    Set<PodKey> all;
    synchronized (this) {
      if (known.equals(classes)) {
        return;
      }
      classes = known;
      all = Set.copyOf(named.keySet());
    }
    tell(all);
  }

  void claimSeen(ResourceClaim claim) {
    var asked = ClaimedDevices.of(claim.getSpec());
    seen(
        named(Kind.CLAIM, claim),
        new Known(
            DeviceReading.isOfPodGroup(claim) ? asked.ofPodGroup() : asked,
            Optional.of(DeviceReading.claim(claim)).filter(it -> !it.devices().isEmpty())));
  }

  void claimGone(ResourceClaim claim) {
    gone(named(Kind.CLAIM, claim));
  }

  private void templateSeen(ResourceClaimTemplate template) {
    seen(
        named(Kind.TEMPLATE, template),
        new Known(
            ClaimedDevices.of(template.getSpec() == null ? null : template.getSpec().getSpec()),
            Optional.empty()));
  }

  private void seen(Named one, Known known) {
    Set<PodKey> ofIt;
    synchronized (this) {
      ofIt = known.equals(claimed.put(one, known)) ? Set.of() : usersOf(one);
    }
    tell(ofIt);
  }

  private void gone(Named one) {
    Set<PodKey> ofIt;
    synchronized (this) {
      ofIt = claimed.remove(one) == null ? Set.of() : usersOf(one);
    }
    tell(ofIt);
  }

  private void tell(Set<PodKey> pods) {
    if (!pods.isEmpty()) {
      concerned.accept(pods);
    }
  }

  private Set<PodKey> usersOf(Named one) {
    return Set.copyOf(users.getOrDefault(one, Set.of()));
  }

  private void watchWhereNeeded() {
    synchronized (this) {
      if (isWatching || !isServed || !areTemplatesNeeded) {
        return;
      }
      isWatching = true;
    }
    watches.openByName(
        client.getKubernetesSerialization(),
        client.resources(ResourceClaimTemplate.class).inAnyNamespace(),
        new SideWatches.Changes<>(
            this::templateSeen, template -> gone(named(Kind.TEMPLATE, template))),
        new SideWatches.Reading(() -> listed(Kind.TEMPLATE), () -> {}));
  }

  @Override
  public synchronized Claimed of(Entry entry) {
    var ofPod = object(entry);
    var known = Optional.ofNullable(claimed.get(ofPod));
    var devices = known.map(Known::asked).orElse(null);
    if (devices == null && entry.isOfDomain()) {
      devices = ClaimedDevices.ofNvlinkDomain();
    }
    if (devices == null) {
      return new Claimed.Refused(missing(ofPod));
    }
    boolean isShared =
        ofPod.kind() == Kind.CLAIM
            && entry.made().isEmpty()
            && known.filter(it -> it.isFor(entry.uid())).isEmpty()
            && users.getOrDefault(ofPod, Set.of()).stream()
                .anyMatch(key -> !key.uid().equals(entry.uid()));
    var units = new HashMap<String, Long>();
    for (var asked : devices.asked()) {
      var problem = count(asked, isShared, units);
      if (problem.isPresent()) {
        return new Claimed.Refused(problem.get());
      }
    }
    return new Claimed.Counted(units);
  }

  @Override
  public synchronized Optional<Map<String, Long>> allocated(Entry entry) {
    var claim = Optional.ofNullable(claimed.get(object(entry))).flatMap(Known::claim);
    var units = new HashMap<String, Long>();
    claim
        .filter(it -> it.pod().equals(Optional.of(entry.uid())) && it.node().isPresent())
        .ifPresent(it ->
            it.devices().stream()
                .flatMap(device -> find(device.deviceClass()).stream())
                .forEach(each -> add(each, 1, units)));
    return claim.map(_ -> units);
  }

  /** What the entry means: the claim that was made by it, once that is known. */
  private Named object(Entry entry) {
    return entry
        .made()
        .map(name -> new Named(Kind.CLAIM, entry.namespace(), name))
        .filter(claimed::containsKey)
        .orElseGet(() -> named(entry.namespace(), entry.claim()));
  }

  private String missing(Named one) {
    if (!isServed) {
      return "claims devices, and the API server does not serve resource.k8s.io/v1: ask for their"
          + " extended resource, such as nvidia.com/gpu";
    }
    return listed.contains(one.kind())
        ? "names the %s %s, which is not there".formatted(one.kind().word, one.name())
        : "names the %s %s, and Muster has not read any yet: it needs the right to list %ss"
            .formatted(one.kind().word, one.name(), one.kind().word.toLowerCase(Locale.ROOT));
  }

  /** Adds what is counted; else says why that cannot be. */
  private Optional<String> count(
      ClaimedDevices.Asked asked, boolean isShared, Map<String, Long> units) {
    var known = asked.classes().stream().flatMap(name -> find(name).stream()).toList();
    var special =
        asked
            .special()
            .or(() ->
                isShared
                    ? Optional.of(
                        "is used by several members; name a ResourceClaimTemplate in its place")
                    : Optional.empty());
    if (special.isPresent()) {
      return known.stream().anyMatch(KnownClass::isExtendedResource) ? special : Optional.empty();
    }
    known.forEach(each -> add(each, asked.count(), units));
    return Optional.empty();
  }

  private static void add(KnownClass known, long count, Map<String, Long> units) {
    units.merge(known.resource(), count, Bounds::sum);
    if (known.isExtendedResource()) {
      units.merge(known.implicit(), count, Bounds::sum);
    }
  }

  private Optional<KnownClass> find(String name) {
    return Optional.ofNullable(classes.get(name)).filter(KnownClass::isCounted);
  }

  private static Named named(String namespace, PodResourceClaim claim) {
    return claim.getResourceClaimTemplateName() != null
        ? new Named(Kind.TEMPLATE, namespace, claim.getResourceClaimTemplateName())
        : new Named(Kind.CLAIM, namespace, String.valueOf(claim.getResourceClaimName()));
  }

  private static Named named(Kind kind, HasMetadata object) {
    return new Named(kind, object.getMetadata().getNamespace(), object.getMetadata().getName());
  }

  @Override
  public void close() {
    watches.close();
  }
}
