package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.device.NodeDevices.KnownClass;
import io.muster.extender.kube.convert.MemberClaims;
import io.muster.extender.kube.device.ClaimedDevices;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Knows what members claim: the templates and claims that they name, and the classes of devices.
 * Templates are watched from the moment a member names one. Safe for concurrent use.
 *
 * <ol>
 *   <li>Devices of a class without counted devices are kube-scheduler's matter.
 *   <li>So many devices of a class count by that class.
 *   <li>Anything else of a class with an extended resource name is refused, with what would do; of
 *       another class it is kube-scheduler's matter.
 *   <li>Where an object that a member names is not there, the member waits for it.
 * </ol>
 */
final class ClaimFeed implements MemberClaims, AutoCloseable {

  private static final String TEMPLATE = "ResourceClaimTemplate";
  private static final String CLAIM = "ResourceClaim";

  private record Named(String kind, String namespace, String name) {}

  private final KubernetesClient client;
  private final Consumer<Set<PodKey>> concerned;
  private final SideWatches watches = new SideWatches();

  /** What is claimed by each object that can be named. */
  private final Map<Named, ClaimedDevices> claimed = new HashMap<>();

  /** Members that name an object and have not ended. */
  private final Map<Named, Set<PodKey>> users = new HashMap<>();

  private Map<String, KnownClass> classes = Map.of();
  private boolean isServed;
  private boolean isWatching;

  /**
   * @param concerned is told which members may claim something else than before
   */
  ClaimFeed(KubernetesClient client, Consumer<Set<PodKey>> concerned) {
    this.client = client;
    this.concerned = concerned;
  }

  /** The API of claims is there: what members name can be looked up. */
  void served() {
    synchronized (this) {
      isServed = true;
    }
    watchWhereNeeded();
  }

  /** Follows a member; a pod that names no claims costs nothing. */
  void memberSeen(Pod pod, io.muster.extender.core.cluster.Pod read) {
    if (pod.getSpec() == null || pod.getSpec().getResourceClaims().isEmpty()) {
      return;
    }
    if (read.membership().isEmpty() || read.isTerminal()) {
      gone(read.key());
      return;
    }
    var others = new HashSet<PodKey>();
    synchronized (this) {
      for (var claim : pod.getSpec().getResourceClaims()) {
        var named = named(read.key().namespace(), claim);
        var ofIt = users.computeIfAbsent(named, _ -> new HashSet<>());
        if (ofIt.add(read.key()) && named.kind().equals(CLAIM) && ofIt.size() == 2) {
          others.addAll(ofIt);
        }
      }
    }
    watchWhereNeeded();
    others.remove(read.key());
    if (!others.isEmpty()) {
      concerned.accept(others);
    }
  }

  /** The pod has ended or gone. */
  void gone(PodKey key) {
    var left = new HashSet<PodKey>();
    synchronized (this) {
      if (users.isEmpty()) {
        return;
      }
      for (var named : Set.copyOf(users.keySet())) {
        if (users.get(named).remove(key)) {
          if (users.get(named).isEmpty()) {
            users.remove(named);
          } else if (named.kind().equals(CLAIM)) {
            left.addAll(users.get(named));
          }
        }
      }
    }
    if (!left.isEmpty()) {
      concerned.accept(left);
    }
  }

  /** Classes are these from now on. */
  void classes(Map<String, KnownClass> known) {
    var all = new HashSet<PodKey>();
    synchronized (this) {
      if (known.equals(classes)) {
        return;
      }
      classes = known;
      users.values().forEach(all::addAll);
    }
    concerned.accept(all);
  }

  /** Of claims that were made for one pod, the template says as much. */
  void claimSeen(ResourceClaim claim) {
    if (claim.getMetadata().getOwnerReferences().isEmpty()) {
      seen(named(CLAIM, claim), ClaimedDevices.of(claim.getSpec()));
    }
  }

  void claimGone(ResourceClaim claim) {
    gone(named(CLAIM, claim));
  }

  private void templateSeen(ResourceClaimTemplate template) {
    seen(
        named(TEMPLATE, template),
        ClaimedDevices.of(template.getSpec() == null ? null : template.getSpec().getSpec()));
  }

  private void seen(Named named, ClaimedDevices devices) {
    Set<PodKey> users;
    synchronized (this) {
      users = devices.equals(claimed.put(named, devices)) ? Set.of() : usersOf(named);
    }
    tell(users);
  }

  private void gone(Named named) {
    Set<PodKey> users;
    synchronized (this) {
      users = claimed.remove(named) == null ? Set.of() : usersOf(named);
    }
    tell(users);
  }

  private void tell(Set<PodKey> users) {
    if (!users.isEmpty()) {
      concerned.accept(users);
    }
  }

  private Set<PodKey> usersOf(Named named) {
    return Set.copyOf(users.getOrDefault(named, Set.of()));
  }

  private void watchWhereNeeded() {
    synchronized (this) {
      if (isWatching
          || !isServed
          || users.keySet().stream().noneMatch(named -> named.kind().equals(TEMPLATE))) {
        return;
      }
      isWatching = true;
    }
    watches.openByName(
        client.getKubernetesSerialization(),
        client.resources(ResourceClaimTemplate.class).inAnyNamespace(),
        this::templateSeen,
        template -> gone(named(TEMPLATE, template)),
        () -> {});
  }

  @Override
  public synchronized Claimed of(String namespace, String uid, PodResourceClaim claim) {
    var named = named(namespace, claim);
    var devices = Optional.ofNullable(claimed.get(named));
    if (devices.isEmpty()) {
      return new Claimed.Refused(
          "names the %s %s, which is not there".formatted(named.kind(), named.name()));
    }
    boolean isShared =
        named.kind().equals(CLAIM)
            && usersOf(named).stream().anyMatch(key -> !key.uid().equals(uid));
    var units = new HashMap<String, Long>();
    for (var asked : devices.get().asked()) {
      var problem = count(asked, isShared, units);
      if (problem.isPresent()) {
        return new Claimed.Refused(problem.get());
      }
    }
    return new Claimed.Counted(units);
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
    for (var each : known) {
      units.merge(each.resource(), asked.count(), Long::sum);
      if (each.isExtendedResource()) {
        units.merge(each.implicit(), asked.count(), Long::sum);
      }
    }
    return Optional.empty();
  }

  private Optional<KnownClass> find(String name) {
    return Optional.ofNullable(classes.get(name)).filter(KnownClass::isCounted);
  }

  private static Named named(String namespace, PodResourceClaim claim) {
    return claim.getResourceClaimTemplateName() != null
        ? new Named(TEMPLATE, namespace, claim.getResourceClaimTemplateName())
        : new Named(CLAIM, namespace, String.valueOf(claim.getResourceClaimName()));
  }

  private static Named named(String kind, HasMetadata object) {
    return new Named(kind, object.getMetadata().getNamespace(), object.getMetadata().getName());
  }

  @Override
  public void close() {
    watches.close();
  }
}
