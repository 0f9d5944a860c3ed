/** The desk where events, calls and effects meet, around the one lock of the decisions. */
package io.muster.extender.app;
