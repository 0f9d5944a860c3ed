package io.muster.webhook.core;

/** Annotations by which users say what is, or is not, to be put into their pods. */
public final class InjectionKeys {

  private static final String PREFIX = "muster.io/inject-";

  /** {@code "false"}: no variables about the gang. */
  public static final String ENV = PREFIX + "env";

  /** {@code "false"}: no memory at {@code /dev/shm}. */
  public static final String SHM = PREFIX + "shm";

  /** {@code "false"}: no tolerations. */
  public static final String TOLERATIONS = PREFIX + "tolerations";

  /** {@code "false"}: no variables of profiles. */
  public static final String NCCL = PREFIX + "nccl";

  /** {@code "false"}: every container sees the devices that its image asks to see. */
  public static final String VISIBLE_DEVICES = PREFIX + "visible-devices";

  /**
   * Written by Muster where a user has set variables of Muster's names, as {@code container/NAME}.
   */
  public static final String USER_ENV = "muster.io/user-env";

  private InjectionKeys() {}
}
