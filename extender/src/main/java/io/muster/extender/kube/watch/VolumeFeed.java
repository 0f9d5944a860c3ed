package io.muster.extender.kube.watch;

import static io.muster.extender.kube.ApiFields.filled;
import static io.muster.extender.kube.ApiFields.text;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.extender.core.cluster.AbsentClaim;
import io.muster.extender.core.cluster.AbsentClaim.Cause;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.kube.convert.Constraints;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Knows where the volumes of members let them go, and which claims are not there or keep
 * kube-scheduler from looking for a node. Claims, volumes and StorageClasses are watched from the
 * moment a member that is on no node yet mounts a claim; a cluster without such members pays
 * nothing. Until a claim is known to be bound, and its volume is known too, the member counts as
 * waiting for it, also where Muster may not read them. Safe for concurrent use: members and what
 * they mount are told in the order in which they are seen.
 */
public final class VolumeFeed implements AutoCloseable {

  /** Comes before the field of the claim. */
  private static final String CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

  /**
   * A member that waits for a node.
   *
   * @param claims what it mounts, by key: whether that is made for an ephemeral volume of it
   */
  private record Member(io.muster.extender.core.cluster.Pod pod, Map<String, Boolean> claims) {}

  /** Whether the claims of a StorageClass wait for a pod before they are bound. */
  private enum Binding {
    IMMEDIATE,
    AT_FIRST_CONSUMER
  }

  /**
   * What is known of a claim.
   *
   * @param volume of one that is bound
   * @param storageClass of one that is not, and names no volume either; empty if it has none
   * @param fault why nobody can mount it
   * @param controllerUid whom it was made for
   */
  private record Claim(
      Optional<String> volume,
      Optional<String> storageClass,
      Optional<Cause> fault,
      Optional<String> controllerUid) {}

  /** How far claims, or StorageClasses, have been read. */
  private enum Reading {
    BEGUN,
    LISTED,
    DENIED
  }

  private final KubernetesClient client;
  private final Consumer<Event> told;
  private final SideWatches watches;
  private boolean isWatching;
  private Reading reading = Reading.BEGUN;
  private Reading ofClasses = Reading.BEGUN;

  /** Members that wait for a node, by uid. */
  private final Map<String, Member> members = new HashMap<>();

  /** Their uids, by the key of each claim that they mount. */
  private final Map<String, Set<String>> users = new HashMap<>();

  /** By namespace and name. */
  private final Map<String, Claim> claims = new HashMap<>();

  /** By name. */
  private final Map<String, Binding> classes = new HashMap<>();

  /** What waiting members were last told with, by uid. */
  private final Map<String, io.muster.extender.core.cluster.Pod> lastTold = new HashMap<>();

  /** The keys of the claims that are bound to each volume. */
  private final Map<String, Set<String>> claimsOf = new HashMap<>();

  /** The terms of each volume of which one must hold; none if it can be used everywhere. */
  private final Map<String, List<List<NodeTerm>>> volumes = new HashMap<>();

  VolumeFeed(KubernetesClient client, Consumer<Event> told) {
    this.client = client;
    this.watches = new SideWatches(client);
    this.told = told;
  }

  /** Tells the pod with what is known of its volumes, now and whenever that changes. */
  synchronized void tell(Pod read, io.muster.extender.core.cluster.Pod pod) {
    var mounted = read.getSpec() == null ? Map.<String, Boolean>of() : mounted(read);
    boolean isWaiting =
        pod.membership().isPresent() && !pod.isBound() && !pod.isTerminal() && !mounted.isEmpty();
    forget(pod.key().uid());
    if (!isWaiting) {
      told.accept(new Event.PodSeen(pod));
      return;
    }
    var member = new Member(pod, mounted);
    members.put(pod.key().uid(), member);
    mounted.keySet().forEach(claim -> add(users, claim, pod.key().uid()));
    start();
    tell(member);
  }

  synchronized void forget(String uid) {
    lastTold.remove(uid);
    var member = members.remove(uid);
    if (member != null) {
      member.claims().keySet().forEach(claim -> remove(users, claim, uid));
    }
  }

  private void tell(Member member) {
    var terms = new ArrayList<List<NodeTerm>>();
    boolean awaits = false;
    for (var key : member.claims().keySet()) {
      var volume = Optional.ofNullable(claims.get(key)).flatMap(Claim::volume).map(volumes::get);
      awaits |= volume.isEmpty();
      volume.ifPresent(terms::addAll);
    }
    var pod = member.pod().mounting(terms, awaits, absent(member));
    if (!pod.equals(lastTold.put(pod.key().uid(), pod))) {
      told.accept(new Event.PodSeen(pod));
    }
  }

  private Optional<AbsentClaim> absent(Member member) {
    for (var mounted : member.claims().entrySet()) {
      var cause = fault(mounted.getKey(), mounted.getValue(), member.pod().key().uid());
      if (cause.isPresent()) {
        return cause.map(why -> new AbsentClaim(nameIn(mounted.getKey()), why));
      }
    }
    return Optional.empty();
  }

  /** Why kube-scheduler would not even look for a node; what may not be read is its matter. */
  private Optional<Cause> fault(String key, boolean isEphemeral, String uid) {
    var claim = claims.get(key);
    if (claim != null) {
      return claim
          .fault()
          .or(() ->
              isEphemeral && !claim.controllerUid().equals(Optional.of(uid))
                  ? Optional.of(Cause.OF_ANOTHER)
                  : unbound(claim));
    }
    return switch (reading) {
      case BEGUN -> Optional.of(Cause.NOT_READ);
      case LISTED -> Optional.of(isEphemeral ? Cause.NOT_MADE : Cause.MISSING);
      case DENIED -> Optional.empty();
    };
  }

  /** The rules by which kube-scheduler looks for no node before an unbound claim has a volume. */
  private Optional<Cause> unbound(Claim claim) {
    if (claim.volume().isPresent() || ofClasses == Reading.DENIED) {
      return Optional.empty();
    }
    if (claim.storageClass().isEmpty()) {
      return Optional.of(Cause.UNBOUND);
    }
    return switch (classes.get(claim.storageClass().get())) {
      case AT_FIRST_CONSUMER -> Optional.empty();
      case IMMEDIATE -> Optional.of(Cause.UNBOUND);
      case null -> Optional.of(ofClasses == Reading.LISTED ? Cause.NO_CLASS : Cause.NOT_READ);
    };
  }

  private void tellUsers(Set<String> keys) {
    keys.stream()
        .flatMap(key -> users.getOrDefault(key, Set.of()).stream())
        .distinct()
        .map(members::get)
        .toList()
        .forEach(this::tell);
  }

  private void start() {
    if (!isWatching) {
      isWatching = true;
      watches.open(
          client.storage().v1().storageClasses(),
          new SideWatches.Changes<>(
              seen -> classIs(name(seen), Optional.of(bindingOf(seen))),
              gone -> classIs(name(gone), Optional.empty())),
          new SideWatches.Reading(
              () -> classesRead(Reading.LISTED), () -> classesRead(Reading.DENIED)));
      watches.open(
          client.persistentVolumes(),
          volume -> volumeSeen(name(volume), Constraints.terms(volume).stream().toList()),
          volume -> volumeGone(name(volume)));
      watches.open(
          client.persistentVolumeClaims().inAnyNamespace(),
          new SideWatches.Changes<>(this::claimSeen, claim -> claimGone(key(claim))),
          new SideWatches.Reading(() -> read(Reading.LISTED), () -> read(Reading.DENIED)));
    }
  }

  private synchronized void read(Reading now) {
    if (reading != now) {
      reading = now;
      tellUsers(
          users.keySet().stream()
              .filter(key -> !claims.containsKey(key))
              .collect(Collectors.toSet()));
    }
  }

  private synchronized void classesRead(Reading now) {
    if (ofClasses != now) {
      ofClasses = now;
      tellUsers(Set.copyOf(users.keySet()));
    }
  }

  private synchronized void classIs(String name, Optional<Binding> now) {
    var before = Optional.ofNullable(classes.remove(name));
    now.ifPresent(binding -> classes.put(name, binding));
    if (!now.equals(before)) {
      tellUsers(Set.copyOf(users.keySet()));
    }
  }

  private static Binding bindingOf(StorageClass seen) {
    return "WaitForFirstConsumer".equals(seen.getVolumeBindingMode())
        ? Binding.AT_FIRST_CONSUMER
        : Binding.IMMEDIATE;
  }

  private synchronized void volumeSeen(String name, List<List<NodeTerm>> terms) {
    if (!terms.equals(volumes.put(name, terms))) {
      tellUsers(claimsOf.getOrDefault(name, Set.of()));
    }
  }

  private synchronized void volumeGone(String name) {
    if (volumes.remove(name) != null) {
      tellUsers(claimsOf.getOrDefault(name, Set.of()));
    }
  }

  private synchronized void claimGone(String key) {
    become(key, Optional.empty());
  }

  private synchronized void claimSeen(PersistentVolumeClaim claim) {
    var phase = claim.getStatus() == null ? "" : text(claim.getStatus().getPhase());
    become(
        key(claim),
        Optional.of(
            new Claim(
                phase.equals("Bound") ? filled(claim.getSpec().getVolumeName()) : Optional.empty(),
                filled(claim.getSpec().getVolumeName()).isPresent()
                    ? Optional.empty()
                    : classOf(claim),
                claim.getMetadata().getDeletionTimestamp() != null
                    ? Optional.of(Cause.DELETED)
                    : Optional.of(Cause.LOST).filter(_ -> phase.equals("Lost")),
                claim.getMetadata().getOwnerReferences().stream()
                    .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                    .map(OwnerReference::getUid)
                    .findFirst())));
  }

  private static Optional<String> classOf(PersistentVolumeClaim claim) {
    return Optional.ofNullable(claim.getMetadata().getAnnotations())
        .flatMap(annotations -> filled(annotations.get(CLASS_ANNOTATION)))
        .or(() -> filled(claim.getSpec().getStorageClassName()));
  }

  private void become(String key, Optional<Claim> now) {
    var before = Optional.ofNullable(claims.remove(key));
    before.flatMap(Claim::volume).ifPresent(volume -> remove(claimsOf, volume, key));
    now.ifPresent(claim -> claims.put(key, claim));
    now.flatMap(Claim::volume).ifPresent(volume -> add(claimsOf, volume, key));
    if (!before.equals(now)) {
      tellUsers(Set.of(key));
    }
  }

  private static void add(Map<String, Set<String>> index, String key, String entry) {
    index.computeIfAbsent(key, _ -> new LinkedHashSet<>()).add(entry);
  }

  private static void remove(Map<String, Set<String>> index, String key, String entry) {
    index.computeIfPresent(
        key,
        (_, entries) -> {
          entries.remove(entry);
          return entries.isEmpty() ? null : entries;
        });
  }

  /** What the pod mounts; a claim made for it has its name and the volume's. */
  private static Map<String, Boolean> mounted(Pod pod) {
    var namespace = pod.getMetadata().getNamespace() + "/";
    var keys = new TreeMap<String, Boolean>();
    for (var volume : pod.getSpec().getVolumes()) {
      if (volume.getPersistentVolumeClaim() != null) {
        keys.putIfAbsent(namespace + text(volume.getPersistentVolumeClaim().getClaimName()), false);
      } else if (volume.getEphemeral() != null) {
        keys.put(namespace + name(pod) + "-" + volume.getName(), true);
      }
    }
    return keys;
  }

  private static String nameIn(String key) {
    return key.substring(key.indexOf('/') + 1);
  }

  private static String key(HasMetadata claim) {
    return claim.getMetadata().getNamespace() + "/" + name(claim);
  }

  private static String name(HasMetadata object) {
    return object.getMetadata().getName();
  }

  @Override
  public void close() {
    watches.close();
  }
}
