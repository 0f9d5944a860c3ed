package io.muster.webhook.core.rendezvous;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How the processes of a gang find each other: what their launcher reads. */
public enum RendezvousProfile {
  NONE(false),
  PLAIN_DDP(true),
  TORCHRUN_STATIC(true),
  TORCHRUN_ELASTIC(true),
  DLROVER(false),
  HOROVOD_ELASTIC(false),
  MPI(false),
  TENSORFLOW(true),
  JAX(true);

  /** On a pod: the word of one of these. */
  public static final String KEY = "muster.io/rendezvous-profile";

  private final boolean meetsAtFirst;

  RendezvousProfile(boolean meetsAtFirst) {
    this.meetsAtFirst = meetsAtFirst;
  }

  /** Whether all members meet at the first one, which must then have an address. */
  boolean meetsAtFirst() {
    return meetsAtFirst;
  }

  /** Whether the number of members may change while they run. */
  public boolean isElastic() {
    return this == TORCHRUN_ELASTIC || this == HOROVOD_ELASTIC || this == DLROVER;
  }

  /** As users write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The one that is so written; DeepSpeed starts its processes as MPI does. */
  public static Optional<RendezvousProfile> of(String word) {
    return word.equals("deepspeed")
        ? Optional.of(MPI)
        : Arrays.stream(values()).filter(profile -> profile.word().equals(word)).findFirst();
  }
}
