package io.muster.controller.core.engine;

import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.JobKey;
import io.muster.controller.core.job.Naming;
import io.muster.controller.core.job.Recovery;
import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.ResizeRequest;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.job.RunPolicy;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Member.Phase;
import io.muster.controller.core.state.Observed;
import io.muster.controller.core.state.Observed.Refusal;
import io.muster.controller.core.state.Observed.ScriptEnd;
import io.muster.controller.core.state.Resize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A job on a cluster in virtual time: a launcher, workers that hold devices, an apiserver that
 * stores what it is told, a training process that works with the members it was told of and lets go
 * of others at its checkpoints, and that goes on between any two actions of the controller. The
 * controller that drives it can be killed between any two writes.
 */
final class JobSimulation {

  static final Duration STEP = Duration.ofMillis(500);
  static final Duration CHECKPOINT = Duration.ofSeconds(2);

  /** The controller dies here. */
  static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  Instant now = Instant.EPOCH;
  RunPolicy run = policy(0, RunPolicy.CleanUp.UNFINISHED);
  Role.Range range = new Role.Range(2, 1, 9);
  Replacement replacement = Replacement.NEVER;
  int replacementsAnHour = 10;
  Replacement launcherReplacement = Replacement.ON_DELETION;
  List<String> problems = List.of();
  long generation = 1;

  /** Devices that no pod holds. */
  int free = 100;

  /** What the apiserver says to a new pod, while it refuses any. */
  Optional<String> refuses = Optional.empty();

  /** Whether it takes the job's own pods all the same. */
  boolean refusesRequestsOnly;

  Duration refusedFor = Duration.ofSeconds(5);

  boolean scriptsFail;
  boolean processesStay;

  /** Whether the launcher cannot be told of its workers. */
  boolean isDeaf;

  /** Nodes that will go, and the moment by which members shall have left them. */
  final Map<String, Instant> leaving = new HashMap<>();

  boolean isRemoved;

  JobState state = JobState.NEW;
  final Map<String, Resize> resizes = new LinkedHashMap<>();
  final Map<String, SimulatedPod> pods = new LinkedHashMap<>();
  final List<News> news = new ArrayList<>();
  final List<String> journal = new ArrayList<>();

  /** What the next launcher will find. */
  private List<String> prepared = List.of();

  /** What is in the launcher, and what the training process works with. */
  List<String> hosts = List.of();

  List<String> atWork = List.of();
  boolean trainingBroke;

  // What the controller remembers, and forgets when it is killed.
  private Optional<List<String>> told = Optional.empty();
  private Map<String, Boolean> attached = Map.of();
  private Optional<Instant> probedAt = Optional.empty();
  private final Map<String, ScriptEnd> scripts = new HashMap<>();

  /** By the request that pods are made for; empty: the job's own. */
  private final Map<Optional<String>, Refusal> refusals = new HashMap<>();

  private Instant checkpointAt = Instant.EPOCH;
  private int uids;

  /** Writes until the controller is killed; none if negative. */
  int killAfter = -1;

  /** Whether it only stops there, and decides anew with all that it remembers. */
  boolean isCutOff;

  int writes;

  /** A pod of the simulated cluster. */
  static final class SimulatedPod {
    final String name;
    final String uid;
    final String role;
    final int index;
    final int gangSize;
    final Optional<String> resize;
    final Instant createdAt;
    Phase phase = Phase.PENDING;
    boolean deleting;

    /** How it is seen to end between its deletion and its going. */
    Optional<Integer> diesWith = Optional.empty();

    /** It never goes. */
    boolean isStuck;

    Optional<String> reason = Optional.empty();
    Optional<Integer> exitCode = Optional.empty();
    String node = "n1";

    SimulatedPod(Action.Create create, String uid, Instant createdAt) {
      name = create.name();
      this.uid = uid;
      role = create.role();
      index = create.index();
      gangSize = create.gangSize();
      resize = create.resize();
      this.createdAt = createdAt;
    }

    Member seen() {
      return new Member(
          name,
          uid,
          role,
          index,
          phase,
          deleting,
          phase == Phase.PENDING ? Optional.empty() : Optional.of(node),
          resize,
          reason,
          exitCode,
          false);
    }
  }

  static RunPolicy policy(int restarts, RunPolicy.CleanUp cleanUp) {
    return new RunPolicy(
        false,
        false,
        restarts,
        cleanUp,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  static RunPolicy suspended() {
    return new RunPolicy(
        true,
        false,
        0,
        RunPolicy.CleanUp.UNFINISHED,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  Job job() {
    return new Job(
        new JobKey("ml", "j", "u"),
        generation,
        List.of(
            new Role(
                "worker",
                "j-worker",
                new Naming.Numbered(),
                range,
                Recovery.of(replacement).withinAnHour(replacementsAnHour),
                Role.End.NEVER),
            new Role(
                "launcher",
                "j-launcher",
                new Naming.Alone(),
                Role.Range.fixed(1),
                Set.of("worker"),
                Recovery.of(launcherReplacement),
                Role.End.WITH_ITS_ONE,
                Role.Pause.NONE)),
        run,
        problems);
  }

  void ask(String id, Change change) {
    ask(id, change, false, Optional.empty(), Optional.empty());
  }

  void ask(String id, Change change, boolean urgent, Optional<ResizeRequest.Script> script) {
    ask(id, change, urgent, Optional.empty(), script);
  }

  private void ask(
      String id,
      Change change,
      boolean urgent,
      Optional<Instant> forcedAt,
      Optional<ResizeRequest.Script> script) {
    var request =
        new ResizeRequest(
            id, "worker", change, now, urgent, Duration.ofMinutes(1), forcedAt, script);
    resizes.put(
        id, new Resize(request, Resize.Stage.NEW, List.of(), Optional.empty(), Optional.empty()));
  }

  SimulatedPod pod(String name) {
    return pods.get(name);
  }

  void end(String name, int exitCode) {
    var pod = pods.get(name);
    pod.phase = exitCode == 0 ? Phase.SUCCEEDED : Phase.FAILED;
    pod.exitCode = Optional.of(exitCode);
    release(pod);
  }

  /** It is deleted, and ends so before it is gone. */
  void delete(String name, int exitCode) {
    pods.get(name).deleting = true;
    pods.get(name).diesWith = Optional.of(exitCode);
  }

  void vanish(String name) {
    var pod = pods.remove(name);
    if (pod.phase == Phase.RUNNING) {
      release(pod);
    }
  }

  private void release(SimulatedPod pod) {
    if (pod.role.equals("worker")) {
      free++;
    }
  }

  List<String> upWorkers() {
    return pods.values().stream()
        .filter(pod -> pod.role.equals("worker") && pod.phase == Phase.RUNNING && !pod.deleting)
        .map(pod -> pod.name)
        .sorted()
        .toList();
  }

  Resize.Stage stage(String id) {
    return resizes.get(id).stage();
  }

  /** Lets time pass. */
  void run(int seconds) {
    var until = now.plusSeconds(seconds);
    while (now.isBefore(until)) {
      cluster();
      try {
        look();
      } catch (Killed _) {
        killAfter = -1;
        if (!isCutOff) {
          forget();
        }
      }
      now = now.plus(STEP);
    }
  }

  private void forget() {
    told = Optional.empty();
    attached = Map.of();
    probedAt = Optional.empty();
    scripts.clear();
    refusals.clear();
  }

  private void cluster() {
    pods.values()
        .removeIf(pod -> {
          if (pod.deleting && pod.diesWith.isPresent()) {
            end(pod.name, pod.diesWith.get());
            pod.diesWith = Optional.empty();
            return false;
          }
          if (pod.deleting && pod.phase == Phase.RUNNING) {
            release(pod);
          }
          return pod.deleting && !pod.isStuck;
        });
    if (!pods.containsKey("j-launcher") || pods.get("j-launcher").phase != Phase.RUNNING) {
      hosts = List.of();
      atWork = List.of();
      told = Optional.empty();
    }
    startGangs();
    train();
  }

  /** Pods of one gang start together or not at all; those that come later, one by one. */
  private void startGangs() {
    var gangs = new LinkedHashMap<String, List<SimulatedPod>>();
    for (var pod : pods.values()) {
      if (pod.phase == Phase.PENDING && !pod.deleting) {
        var name = pod.role.equals("launcher") ? "launcher" : pod.resize.orElse("job");
        gangs.computeIfAbsent(name, _ -> new ArrayList<>()).add(pod);
      }
    }
    gangs.forEach((name, members) -> {
      var size = members.getFirst().gangSize;
      boolean isWhole =
          name.equals("launcher")
              || members.size() >= size
              || pods.values().stream()
                  .anyMatch(pod ->
                      pod.phase != Phase.PENDING
                          && pod.role.equals("worker")
                          && pod.resize.equals(members.getFirst().resize));
      int needed = name.equals("launcher") ? 0 : members.size();
      if (isWhole && needed <= free) {
        free -= needed;
        members.forEach(pod -> pod.phase = Phase.RUNNING);
        if (name.equals("launcher")) {
          hosts = prepared;
        }
      }
    });
  }

  private void train() {
    var launcher = pods.get("j-launcher");
    if (launcher == null || launcher.phase != Phase.RUNNING || now.isBefore(checkpointAt)) {
      return;
    }
    checkpointAt = now.plus(CHECKPOINT);
    // A host that has gone under the job's hands while it was on its list.
    trainingBroke |= atWork.stream().anyMatch(host -> hosts.contains(host) && isGone(host));
    if (!processesStay) {
      atWork = hosts;
    } else {
      var both = new TreeSet<>(atWork);
      both.addAll(hosts);
      atWork = List.copyOf(both);
    }
  }

  private boolean isGone(String host) {
    return !pods.containsKey(host);
  }

  private void look() {
    var observed =
        new Observed(
            pods.values().stream().map(SimulatedPod::seen).toList(),
            pods.containsKey("j-launcher") ? told : Optional.empty(),
            attached,
            probedAt,
            Map.copyOf(scripts),
            List.copyOf(refusals.values()),
            leavingMembers());
    var outcome = JobEngine.reconcile(job(), state, List.copyOf(resizes.values()), observed, now);
    if (!outcome.state().equals(state)) {
      write("status", () -> state = outcome.state());
    }
    for (var resize : outcome.resizes()) {
      var id = resize.request().id();
      if (resizes.containsKey(id)) {
        write("resize " + id, () -> resizes.put(id, resize));
      }
    }
    news.addAll(outcome.news());
    for (var action : outcome.actions()) {
      cluster();
      write(action.toString(), () -> act(action));
    }
  }

  private Map<String, Instant> leavingMembers() {
    var members = new HashMap<String, Instant>();
    for (var pod : pods.values()) {
      if (pod.phase != Phase.PENDING && leaving.containsKey(pod.node)) {
        members.put(pod.name, leaving.get(pod.node));
      }
    }
    return members;
  }

  private void write(String what, Runnable write) {
    if (killAfter == 0) {
      throw new Killed();
    }
    writes++;
    journal.add(now + " " + what);
    write.run();
    if (killAfter > 0) {
      killAfter--;
      if (killAfter == 0) {
        throw new Killed();
      }
    }
  }

  private void act(Action action) {
    switch (action) {
      case Action.Prepare(String role, List<String> members, String _) -> {
        if (role.equals("launcher")) {
          prepared = members;
        }
      }
      case Action.Create create -> create(create);
      case Action.Delete(String name, String uid) -> {
        var pod = pods.get(name);
        if (pod != null && pod.uid.equals(uid)) {
          pod.deleting = true;
        }
      }
      case Action.Tell(List<String> members) -> {
        if (!isDeaf) {
          hosts = members;
          told = Optional.of(members);
        }
      }
      case Action.Probe(List<String> members) -> {
        var found = new HashMap<String, Boolean>();
        members.forEach(name -> found.put(name, atWork.contains(name)));
        attached = Map.copyOf(found);
        probedAt = Optional.of(now);
      }
      case Action.Script(String resize, List<String> _) -> {
        int tries = Optional.ofNullable(scripts.get(resize)).map(ScriptEnd::tries).orElse(0) + 1;
        scripts.put(
            resize,
            new ScriptEnd(tries, scriptsFail ? Optional.of("exit code 1") : Optional.empty()));
      }
      case Action.Ask(String key, String _, Change change, boolean urgent, var forcedAt) -> {
        if (!resizes.containsKey("Scale:ml/" + key)) {
          ask("Scale:ml/" + key, change, urgent, forcedAt, Optional.empty());
        }
      }
      case Action.Withdraw(String id) -> resizes.remove(id);
      case Action.Remove _ -> isRemoved = true;
    }
  }

  private void create(Action.Create create) {
    if (pods.containsKey(create.name())) {
      return;
    }
    if (refuses.isPresent() && (create.resize().isPresent() || !refusesRequestsOnly)) {
      refusals.put(
          create.resize(), new Refusal(create.name(), refuses.get(), now.plus(refusedFor)));
      return;
    }
    pods.put(create.name(), new SimulatedPod(create, "uid-" + uids++, now));
  }
}
